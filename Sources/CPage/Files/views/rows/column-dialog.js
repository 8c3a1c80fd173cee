// The dialog that chooses the columns of a table.

import {h, fill} from '../../parts/dom.js'
import {showDialog} from '../../parts/dialog.js'
import {canRead} from '../../columns.js'

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
  return showDialog('Columns', h('div', {class: 'columns-dialog'}, boxes,
    h('div', {}, h('label', {for: 'column-paths'}, 'Key paths, one a line'), paths,
      h('p', {class: 'hint', id: 'column-hint'},
        'A key path such as team.name leads through relationships. An expression with a name, '
        + 'such as pay:salary * 12, is a column, too.'))),
  [['Default', () => []], ['Cancel', undefined], ['Show', given, 'main']])
    .then(choose => choose?.())
}

/** The properties of an entity that can be columns. */
function choices(entity) {
  return entity.properties.flatMap(property => {
    if (property.kind === 'fetchedProperty' || property.declared.transient) return []
    if (property.kind === 'attribute') return [property.name]
    return canRead(property) ? [property.name] : []
  })
}
