// The part of the world that a map shows, in Mercator's projection: its middle and its size.

/** The length of a side of the world at zoom 0, in pixels. */
const side = 256
/** Degrees to which the projection goes: the world is a square. */
const edge = 85.0511
const closest = 20
/** The zoom for a single place. */
const near = 12
const earthRadius = 6_371_008.8

const radians = degrees => degrees * Math.PI / 180

/** The place of a longitude from west, 0, to east, 1. */
export function xOf(longitude) { return (longitude + 180) / 360 }

/** The place of a latitude from north, 0, to south, 1. What is beyond the edge is at the edge. */
export function yOf(latitude) {
  const angle = radians(Math.max(-edge, Math.min(edge, latitude)))
  return 0.5 - Math.asinh(Math.tan(angle)) / (2 * Math.PI)
}

function longitudeAt(x) { return x * 360 - 180 }
function latitudeAt(y) { return Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180 / Math.PI }

/** The metres between two places: `{latitude, longitude}`. */
export function distance(a, b) {
  const half = degrees => Math.sin(radians(degrees) / 2) ** 2
  const square = half(b.latitude - a.latitude) + Math.cos(radians(a.latitude))
    * Math.cos(radians(b.latitude)) * half(b.longitude - a.longitude)
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(square)))
}

/** What a map shows. `width` and `height` are those of its element, in pixels. */
export class Camera {
  x = 0.5
  y = 0.5
  zoom = 1
  width = 1
  height = 1

  /** The length of a side of the world in pixels. */
  get size() { return side * 2 ** this.zoom }

  /** The middle: `{latitude, longitude}`. */
  get middle() { return this.placeAt(this.width / 2, this.height / 2) }

  /** The place at a point of the element. */
  placeAt(left, top) {
    return {
      latitude: latitudeAt(this.y + (top - this.height / 2) / this.size),
      longitude: longitudeAt(this.x + (left - this.width / 2) / this.size),
    }
  }

  leftOf(x) { return (x - this.x) * this.size + this.width / 2 }
  topOf(y) { return (y - this.y) * this.size + this.height / 2 }

  /** The bounds in degrees, with a margin that is a part of the width and of the height. */
  bounds(margin = 0) {
    const [aside, above] = [this.width * margin, this.height * margin]
    const first = this.placeAt(-aside, -above)
    const last = this.placeAt(this.width + aside, this.height + above)
    return {
      north: first.latitude >= edge - 0.01 ? 90 : first.latitude,
      south: last.latitude <= 0.01 - edge ? -90 : last.latitude,
      west: Math.max(-180, first.longitude), east: Math.min(180, last.longitude),
    }
  }

  /** Shows all of some bounds. */
  fit({north, south, west, east}) {
    const [left, right, top, bottom] = [xOf(west), xOf(east), yOf(north), yOf(south)]
    const room = 0.9 / side
    this.zoom = Math.min(near, Math.log2(this.width * room / (right - left)),
      Math.log2(this.height * room / (bottom - top)))
    this.x = (left + right) / 2
    this.y = (top + bottom) / 2
    this.#limit()
  }

  /** Moves the middle by pixels. */
  move(right, down) {
    this.x += right / this.size
    this.y += down / this.size
    this.#limit()
  }

  /** Zooms in by some levels, or out by negative ones. A point of the element keeps its place. */
  zoomBy(levels, left = this.width / 2, top = this.height / 2) {
    const before = this.size
    this.zoom += levels
    this.#limit()
    const share = 1 / before - 1 / this.size
    this.x += (left - this.width / 2) * share
    this.y += (top - this.height / 2) * share
    this.#limit()
  }

  /** The text of `at` in an address: latitude, longitude and zoom. */
  toString() {
    const {latitude, longitude} = this.middle
    const digits = Math.max(0, Math.ceil(this.zoom / 3))
    return `${latitude.toFixed(digits)},${longitude.toFixed(digits)},${this.zoom.toFixed(2)}`
  }

  /** Shows what such a text says. @returns whether it can be read */
  read(text) {
    const numbers = text.split(',').map(Number)
    if (numbers.length !== 3 || !numbers.every(Number.isFinite)) return false
    this.x = xOf(numbers[1])
    this.y = yOf(numbers[0])
    this.zoom = numbers[2]
    this.#limit()
    return true
  }

  /** The metres of a pixel in the middle. */
  get pixelLength() {
    return 2 * Math.PI * earthRadius * Math.cos(radians(this.middle.latitude)) / this.size
  }

  #limit() {
    this.zoom = Math.max(0, Math.min(closest, this.zoom))
    this.x = Math.max(0, Math.min(1, this.x))
    this.y = Math.max(0, Math.min(1, this.y))
  }
}
