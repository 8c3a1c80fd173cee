// Dots on a canvas, many of them: each adds its stamp to the opacity of one picture. Where dots lie
// on each other the colour is stronger.

/** The radius of the smallest dots at most, and what an amount adds to it at most. */
const [most, largest] = [3, 16]
const mostGrowth = 2
/** The number of pixels that all stamps of a picture may have together, about. */
const mostPixels = 1_500_000
/** The weight of a dot, of the inside of a large one, and of its rim. */
const [dotWeight, diskWeight, rimWeight] = [120, 40, 110]

/** The radius of the smallest dots. All dots grow as the map comes closer, and few are large. */
function leastRadius({zoom}, count) {
  return Math.min(most, Math.max(0.6 + zoom / 4, 4.5 - Math.log10(count)))
}

/** How much of its weight a dot has: on a map of the world many lie on each other. */
function strength({zoom}) { return Math.min(1.7, 0.8 + zoom / 8) }

/** By what the part of the radius is multiplied that is an amount's. */
function growth({zoom}) { return Math.min(mostGrowth, 0.3 + zoom / 6) }

/** Draws the dots of places. */
export class Dots {
  #picture = null
  #ratio = 1
  #stamps = new Map()
  #radii = null
  #places = null

  /** Takes other places, or other sizes of them. */
  set places(places) {
    this.#places = places
    this.#radii = null
  }

  /** The radius of a dot in pixels. */
  radius(index, camera) {
    const part = this.#sizes()?.[index] ?? 0
    return leastRadius(camera, this.#places.xs.length) + growth(camera) * part
  }

  /**
   * Draws the dots that a camera sees, in the place of all that is on the canvas.
   * @param ratio pixels of the canvas in one of the page
   * @param colour such as `rgb(1, 2, 3)`
   * @returns the indices of those that are seen, at most so many
   */
  draw(context, camera, ratio, colour, mostSeen) {
    // Dots whose middle is outside by their radius at most are seen in part. The picture has a
    // margin, so that no pixel of a stamp is outside of it.
    const reach = Math.ceil((mostGrowth * largest + most) * ratio) + 1
    const margin = 2 * reach
    this.#clear(context.canvas, ratio, margin, colour)
    const seen = this.#stamp(camera, ratio, reach, mostSeen)
    context.putImageData(this.#picture, -margin, -margin)
    return seen
  }

  /** Makes a picture that has the colour everywhere, but nowhere visibly. */
  #clear({width, height}, ratio, margin, colour) {
    const [red, green, blue] = colour.match(/[\d.]+/g).map(Number)
    const size = [width + 2 * margin, height + 2 * margin]
    if (this.#picture?.width !== size[0] || this.#picture.height !== size[1]) {
      this.#picture = new ImageData(...size)
      this.#ratio = ratio
      this.#stamps.clear()
    }
    new Uint32Array(this.#picture.data.buffer).fill((blue << 16) | (green << 8) | red)
  }

  /** Adds the weights of the dots to the opacity of their pixels. */
  #stamp(camera, ratio, reach, mostSeen) {
    const {xs, ys} = this.#places
    const {data, width, height} = this.#picture
    const radii = this.#sizes()
    const [least, share] = [leastRadius(camera, xs.length), growth(camera)]
    const force = strength(camera)
    const scale = camera.size * ratio
    const left = camera.x - (camera.width / 2 + 2 * reach / ratio) / camera.size
    const top = camera.y - (camera.height / 2 + 2 * reach / ratio) / camera.size
    const [right, bottom] = [width - reach, height - reach]
    const seen = []
    let stamp = this.#stampOf(least * ratio)
    for (let i = 0; i < xs.length; i++) {
      const x = (xs[i] - left) * scale
      const y = (ys[i] - top) * scale
      // NaN, for an object without coordinates, is not inside either.
      if (!(x > reach && x < right && y > reach && y < bottom)) continue
      if (seen.length < mostSeen) seen.push(i)
      if (radii) stamp = this.#stampOf((least + share * radii[i]) * ratio)
      const at = 4 * (Math.round(x) + Math.round(y) * width) + 3
      const {offsets, weights} = stamp
      // The sum is clamped to 255.
      for (let j = 0; j < offsets.length; j++) data[at + offsets[j]] += force * weights[j]
    }
    return seen
  }

  /** What the amounts add to the radii of the dots; null if all have the same. */
  #sizes() {
    const amounts = this.#places?.amounts
    if (!amounts || this.#radii) return this.#radii
    const top = amounts.reduce((top, it) => (it > top ? it : top), 0) || 1
    const shares = amounts.reduce((sum, it) => sum + (it || 0) / top, 0) || 1
    const range = Math.min(largest, Math.sqrt(mostPixels / (Math.PI * shares)))
    this.#radii = Float32Array.from(amounts, it => range * Math.sqrt((it || 0) / top))
    return this.#radii
  }

  /** The stamp of a dot: the places of its pixels in the picture, and their weights. */
  #stampOf(radius) {
    const half = Math.round(radius * 2)
    if (!this.#stamps.has(half)) this.#stamps.set(half, this.#cut(half / 2))
    return this.#stamps.get(half)
  }

  #cut(radius) {
    const [offsets, weights] = [[], []]
    const reach = Math.ceil(radius)
    const isDisk = radius > 4 * this.#ratio
    for (let y = -reach; y <= reach; y++) {
      for (let x = -reach; x <= reach; x++) {
        const inside = Math.max(0, Math.min(1, radius + 0.5 - Math.hypot(x, y)))
        if (!inside) continue
        const isRim = isDisk && Math.hypot(x, y) > radius - 1.5 * this.#ratio
        offsets.push(4 * (y * this.#picture.width + x))
        weights.push(Math.round(inside * (isDisk ? (isRim ? rimWeight : diskWeight) : dotWeight)))
      }
    }
    return {offsets: Int32Array.from(offsets), weights: Uint8Array.from(weights)}
  }
}
