/**
 * The picture of the visible part of a tab, small enough for a model: a JPEG 1024 pixels
 * wide, with a perceptual hash by which an unchanged one is not sent again. The browser
 * gives pictures only of the tab in front, and only after a click on the extension's
 * button there; elsewhere there is none.
 */

/** A picture in base64, and what it looks like in 64 bits. */
export interface Screenshot { data: string, hash: string }

const width = 1024
const quality = 0.7

/** Takes the picture; undefined where the browser gives none. */
export async function takeScreenshot(tab: chrome.tabs.Tab): Promise<Screenshot | undefined> {
  if (!tab.active) return undefined
  try {
    const url = await capture(tab.windowId)
    const [front] = await chrome.tabs.query({ active: true, windowId: tab.windowId })
    if (front?.id !== tab.id) return undefined // it may be of the tab that came in front
    const picture = await createImageBitmap(await (await fetch(url)).blob())
    const hash = hashOf(grey(picture))
    const scale = Math.min(1, width / picture.width)
    const canvas = draw(picture, Math.round(picture.width * scale), Math.round(picture.height * scale))
    const blob = await canvas.convertToBlob({ type: "image/jpeg", quality })
    return { data: base64(new Uint8Array(await blob.arrayBuffer())), hash }
  } catch (e) {
    console.debug("no picture of the tab:", e)
    return undefined
  }
}

// capture waits where the browser has given two pictures within this second, which is all it does.
async function capture(windowId: number): Promise<string> {
  const options = { format: "jpeg", quality: 100 * quality } as const
  try {
    return await chrome.tabs.captureVisibleTab(windowId, options)
  } catch (e) {
    if (!/MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND/.test(String(e))) throw e
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return chrome.tabs.captureVisibleTab(windowId, options)
  }
}

function draw(picture: ImageBitmap, w: number, h: number): OffscreenCanvas {
  const canvas = new OffscreenCanvas(w, h)
  canvas.getContext("2d")!.drawImage(picture, 0, 0, w, h)
  return canvas
}

// grey is the picture in 9 by 8 shades.
function grey(picture: ImageBitmap): number[] {
  const { data } = draw(picture, 9, 8).getContext("2d")!.getImageData(0, 0, 9, 8)
  return Array.from({ length: 72 }, (_, i) => 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2])
}

/** The difference hash of 9 by 8 shades: a bit for each neighbour to the right that is brighter. */
export function hashOf(shades: number[]): string {
  let bits = ""
  for (let y = 0; y < 8; y++) for (let x = 0; x < 8; x++) bits += shades[9 * y + x] < shades[9 * y + x + 1] ? "1" : "0"
  return bits
}

function base64(bytes: Uint8Array): string {
  let text = ""
  const part = 0x8000 // arguments a function takes at once
  for (let i = 0; i < bytes.length; i += part) text += String.fromCharCode(...bytes.subarray(i, i + part))
  return btoa(text)
}
