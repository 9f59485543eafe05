/**
 * The areas of image maps: they have no box of their own, but a part of their image.
 */

import { imageOf } from "../page/boxes"
import { offsetOf, topAt } from "../page/walk"

/** candidates are points of the image, in its CSS pixels, that may lie in a shape: its middle,
 * for a polygon those of its triangles. */
const candidates = (area: HTMLAreaElement, width: number, height: number): [number, number][] => {
  const c = area.coords.split(/[\s,]+/).map(Number).filter((n) => !Number.isNaN(n))
  if (area.shape === "default" || c.length < 3) return [[width / 2, height / 2], [2, 2], [width - 2, height - 2]]
  if (area.shape === "circle" || c.length === 3) return [[c[0], c[1]]]
  if (c.length === 4) return [[(c[0] + c[2]) / 2, (c[1] + c[3]) / 2]]
  const points = Array.from({ length: Math.floor(c.length / 2) }, (_, i) => [c[2 * i], c[2 * i + 1]])
  const middle = (some: number[][]): [number, number] =>
    [some.reduce((sum, p) => sum + p[0], 0) / some.length, some.reduce((sum, p) => sum + p[1], 0) / some.length]
  return [middle(points), ...points.map((_, i) => middle([0, 1, 2].map((d) => points[(i + d) % points.length])))]
}

/** areaPoint brings an area's image into view and gives a point of the viewport at which
 * the area is hit, or null. */
export const areaPoint = (area: HTMLAreaElement): { x: number, y: number } | null => {
  const image = imageOf(area)
  if (!image) return null
  image.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" })
  const find = () => {
    const r = image.getBoundingClientRect()
    const o = offsetOf(image)
    for (const [x, y] of candidates(area, image.clientWidth, image.clientHeight)) {
      const point = { x: o.x + r.left + image.clientLeft + x, y: o.y + r.top + image.clientTop + y }
      if (topAt(point.x, point.y) === area) return point
    }
    return null
  }
  const found = find()
  if (found) return found
  image.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
  return find()
}
