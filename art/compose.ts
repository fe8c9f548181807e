import sharp, { type Sharp } from 'sharp'
import type { PlannedPicture } from './plan.ts'

interface Rgb {
  r: number
  g: number
  b: number
}

/** The page colours that the studios run into. */
const GROUND: Record<PlannedPicture['ground'], Rgb> = {
  light: { r: 231, g: 229, b: 225 },
  dark: { r: 11, g: 12, b: 13 },
}

const css = ({ r, g, b }: Rgb): string => `rgb(${r},${g},${b})`

/** The master at `file` cropped, graded and with its headroom, as PNG in full size. */
export async function composed(picture: PlannedPicture, file: string): Promise<Buffer> {
  const { width, height } = await sharp(file).metadata()
  let image = sharp(file)
  if (picture.crop) {
    const { crop } = picture
    image = image.extract({
      left: Math.round(crop.left * width),
      top: Math.round(crop.top * height),
      width: Math.round(crop.width * width),
      height: Math.round(crop.height * height),
    })
  }
  if (picture.gain) image = brightened(image, picture.gain)
  if (picture.saturation) image = image.modulate({ saturation: picture.saturation })
  const graded = await image.png({ compressionLevel: 1 }).toBuffer()
  return picture.headroom ? withHeadroom(graded, picture.headroom, GROUND[picture.ground]) : graded
}

/** The ground keeps its colour; only what is lighter than it gains. */
function brightened(image: Sharp, gain: number): Sharp {
  const { r, g, b } = GROUND.dark
  return image.linear(
    [gain, gain, gain],
    [r, g, b].map((value) => value * (1 - gain)),
  )
}

/** Adds ground above: the page colour on top, run into the picture so that no edge shows. */
async function withHeadroom(image: Buffer, share: number, ground: Rgb): Promise<Buffer> {
  const { width, height } = await sharp(image).metadata()
  const added = Math.round(height * share)
  // The fade ends above the roof of the car.
  const fade = Math.round(height * 0.2)
  const veil = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${fade}">
    <linearGradient id="f" x2="0" y2="1">
      <stop stop-color="${css(ground)}"/><stop offset="1" stop-color="${css(ground)}" stop-opacity="0"/>
    </linearGradient>
    <rect width="100%" height="100%" fill="url(#f)"/></svg>`
  return sharp({ create: { width, height: height + added, channels: 3, background: ground } })
    .composite([
      { input: image, left: 0, top: added },
      { input: Buffer.from(veil), left: 0, top: added },
    ])
    .png({ compressionLevel: 1 })
    .toBuffer()
}

/** Mean colour along the upper edge and both sides, where there is little but the studio, as CSS. */
export async function groundColor(image: Buffer): Promise<string> {
  const side = 40
  const small = sharp(image).flatten({ background: GROUND.light }).resize(side, side, { fit: 'fill' })
  const pixels = await small.raw().toBuffer()
  const sum = { r: 0, g: 0, b: 0 }
  let count = 0
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      if (y > 3 && x > 1 && x < side - 2) continue
      const at = (y * side + x) * 3
      sum.r += pixels[at] ?? 0
      sum.g += pixels[at + 1] ?? 0
      sum.b += pixels[at + 2] ?? 0
      count += 1
    }
  }
  const hex = (value: number): string =>
    Math.round(value / count)
      .toString(16)
      .padStart(2, '0')
  return `#${hex(sum.r)}${hex(sum.g)}${hex(sum.b)}`
}
