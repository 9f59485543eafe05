// Draws the mark, three steps in a rounded square, as the icons of the extension and the
// tile of the store. The files are committed; drawn anew they are the same pictures.
//
//   node store/icons.js [folder]      the extension's folder unless another is given

import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { deflateSync } from "node:zlib"

const BLUE = [29, 78, 216]
const WHITE = [255, 255, 255]
const PALE = [232, 238, 252]

// The mark in a square of side 1: each step is a bar that begins further to the right and
// higher than the last.
const STEPS = [[0.2, 0.62, 0.42, 0.78], [0.39, 0.42, 0.61, 0.78], [0.58, 0.22, 0.8, 0.78]]
const RADIUS = 0.22

const isInSquare = (x, y) => {
  const dx = Math.max(RADIUS - x, 0, x - (1 - RADIUS))
  const dy = Math.max(RADIUS - y, 0, y - (1 - RADIUS))
  return x >= 0 && y >= 0 && x <= 1 && y <= 1 && dx * dx + dy * dy <= RADIUS * RADIUS
}
const isInStep = (x, y) => STEPS.some(([left, top, right, bottom]) => x >= left && x <= right && y >= top && y <= bottom)

// markAt is the colour of the mark at a point, null beside it.
const markAt = (x, y) => (!isInSquare(x, y) ? null : isInStep(x, y) ? WHITE : BLUE)

// draw gives the pixels of a picture: each is the mean of 4 by 4 points.
function draw(width, height, colourAt) {
  const pixels = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const points = []
      for (let i = 0; i < 16; i++) points.push(colourAt((x + (i % 4 + 0.5) / 4), (y + (Math.floor(i / 4) + 0.5) / 4)))
      const seen = points.filter(Boolean)
      const at = (y * width + x) * 4
      for (let c = 0; c < 3; c++) pixels[at + c] = seen.length ? Math.round(seen.reduce((sum, p) => sum + p[c], 0) / seen.length) : 0
      pixels[at + 3] = Math.round((255 * seen.length) / 16)
    }
  }
  return png(width, height, pixels)
}

function png(width, height, pixels) {
  const rows = []
  for (let y = 0; y < height; y++) rows.push(Buffer.from([0]), pixels.subarray(y * width * 4, (y + 1) * width * 4))
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 6, 0, 0, 0], 8) // eight bits, colour with transparency
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head), chunk("IDAT", deflateSync(Buffer.concat(rows), { level: 9 })), chunk("IEND", Buffer.alloc(0)),
  ])
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc(body), body.length + 4)
  return out
}

function crc(bytes) {
  let c = 0xffffffff
  for (const byte of bytes) {
    c ^= byte
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
  }
  return (c ^ 0xffffffff) >>> 0
}

const folder = process.argv[2] ?? join(import.meta.dirname, "..")
const write = (name, data) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), data)
}

for (const size of [16, 32, 48, 128]) {
  const margin = size === 128 ? 16 : 0 // the store wants the largest with room around it
  const side = size - 2 * margin
  write(`public/icon/${size}.png`, draw(size, size, (x, y) => markAt((x - margin) / side, (y - margin) / side)))
}
write("store/tile-440x280.png", draw(440, 280, (x, y) => markAt((x - 140) / 160, (y - 60) / 160) ?? PALE))
