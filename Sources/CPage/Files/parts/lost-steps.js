// The dialog of the unsaved changes that could not be made again.

import {h} from './dom.js'
import {showDialog} from './dialog.js'

/** Shows steps with what was typed, and why each was refused: `{step, error}`. */
export function showLostSteps(steps) {
  return showDialog('Some changes could not be made again', h('div', {},
    h('p', {}, 'The service has begun a new editing context. These changes are not in it:'),
    h('ul', {class: 'problems'}, steps.map(({step, error}) => h('li', {},
      `${step.method} ${step.entity} ${step.id ?? ''} `,
      h('code', {dir: 'auto'}, JSON.stringify(step.body ?? {})), ` – ${error.message}`)))),
  [['Close', true, 'main']])
}
