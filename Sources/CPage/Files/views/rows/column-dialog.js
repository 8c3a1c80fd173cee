// The dialog that chooses the columns of a table.

import {h, fill} from '../../parts/dom.js'
import {showDialog} from '../../parts/dialog.js'
import {canRead, selection} from '../../columns.js'
import {Problem, service} from '../../service.js'

/**
 * Shows the dialog: properties by a click, key paths and expressions by typing.
 *
 * @param entity the entity of the table
 * @param shown the key paths of the present columns
 * @returns the key paths in order; undefined where the dialog is left; empty for the default
 */
export async function chooseColumns(entity, shown) {
  const paths = h('textarea', {
    id: 'column-paths', rows: Math.min(14, shown.length + 2), value: shown.join('\n'),
    spellcheck: false, class: 'code', 'aria-describedby': 'column-hint',
  })
  const given = () => paths.value.split('\n').map(it => it.trim()).filter(Boolean)
  const boxes = h('fieldset', {}, h('legend', {}, 'Properties'))
  const draw = () => fill(boxes, h('legend', {}, 'Properties'), choices(entity).map(path => {
    const isShown = given().includes(path)
    return h('label', {class: 'choice'}, h('input', {
      type: 'checkbox', checked: isShown,
      onchange: event => {
        const rest = given().filter(it => it !== path)
        paths.value = (event.target.checked ? [...rest, path] : rest).join('\n')
      },
    }), path)
  }))
  paths.addEventListener('input', draw)
  draw()
  const error = h('p', {class: 'error-text', role: 'alert'})
  const content = h('div', {class: 'columns-dialog'}, boxes,
    h('div', {}, h('label', {for: 'column-paths'}, 'Key paths, one a line'), paths, error,
      h('p', {class: 'hint', id: 'column-hint'},
        'A key path such as team.name leads through relationships. An expression with a name, '
        + 'such as pay:salary * 12, is a column, too.')))
  for (;;) {
    const choose = await showDialog('Columns', content,
      [['Default', () => []], ['Cancel', undefined], ['Show', given, 'main']])
    const chosen = choose?.()
    const problem = chosen?.length ? await problemOf(entity, chosen) : null
    if (!problem) return chosen
    fill(error, problem.message.replace(/^select: /, ''), problem.hint && ` – ${problem.hint}`)
  }
}

/** What the service has against columns; null for nothing. */
async function problemOf(entity, paths) {
  try {
    await service.get(entity.path, {select: selection(entity, paths), limit: 1})
    return null
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The properties of an entity that can be columns. */
function choices(entity) {
  return entity.properties.flatMap(property => {
    if (property.kind === 'fetchedProperty' || property.declared.transient) return []
    if (property.kind === 'attribute') return [property.name]
    return canRead(property) ? [property.name] : []
  })
}
