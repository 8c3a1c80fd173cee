// The icons: strokes in a square of 16 units, in the colour of the text.

import {svg} from './dom.js'

const paths = {
  stele: 'M4 14.5V5.5a4 4 0 0 1 8 0v9zM6.2 6.5h3.6M6.2 9h3.6M6.2 11.5h3.6',
  menu: 'M2 4h12M2 8h12M2 12h12',
  sun: 'M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15'
    + 'M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  moon: 'M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5z',
  auto: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M8 2v12M10 3.5v9M12 5.5v5',
  up: 'M4 10l4-4l4 4',
  down: 'M4 6l4 4l4-4',
  right: 'M6 4l4 4l-4 4',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  undo: 'M3 7h7a3 3 0 0 1 0 6H7M3 7l3-3M3 7l3 3',
  redo: 'M13 7H6a3 3 0 0 0 0 6h3M13 7l-3-3M13 7l-3 3',
  graph: 'M2 2h4v4H2zM10 9h4v4h-4zM6 4h3v7h1',
  table: 'M2 3h12v10H2zM2 6.5h12M6 3v10',
  chart: 'M2 2v12h12M5 11V8M8 11V4M11 11V6',
  map: 'M2 4l4-2l4 2l4-2v10l-4 2l-4-2l-4 2zM6 2v10M10 4v10',
  code: 'M5 4L1.5 8L5 12M11 4l3.5 4L11 12',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
  export: 'M8 10V2M5 5l3-3l3 3M3 9v5h10V9',
  import: 'M8 2v8M5 7l3 3l3-3M3 9v5h10V9',
  live: 'M2 8h3l2-5l3 10l2-5h2',
  trash: 'M3 4h10M6 4V2.5h4V4M4.5 4l.5 10h6l.5-10',
}

/** An icon by its name. It says nothing to a screen reader: its button has a name. */
export function icon(name) {
  return svg('svg', {class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true'},
    svg('path', {d: paths[name]}))
}
