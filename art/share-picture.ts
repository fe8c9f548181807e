import sharp from 'sharp'

/** Size that social networks ask for (spec section 2, Every page). */
const WIDTH = 1200
const HEIGHT = 630

const FONT = 'Liberation Sans Narrow'
const MARGIN = 56
const PLATE_HEIGHT = 84
const BAND_WIDTH = 46
const LETTER_WIDTH = 37

/** Writes a share picture as JPEG: the master behind, a number plate that reads `text` on the empty ground above. */
export async function sharePicture(master: string, text: string, file: string): Promise<void> {
  const plate = plateSvg(text)
  const image = sharp(master).resize(WIDTH, HEIGHT, { fit: 'cover', kernel: 'lanczos3' })
  const layers = [{ input: Buffer.from(plate.svg), left: MARGIN, top: MARGIN }]
  await image.composite(layers).jpeg({ quality: 80, mozjpeg: true }).toFile(file)
}

/** A European number plate: blue band with the stars, raised figures on white. */
function plateSvg(text: string): { svg: string; width: number } {
  const width = BAND_WIDTH + 44 + text.length * LETTER_WIDTH
  const stars = Array.from({ length: 12 }, (_, at) => {
    const angle = (at * Math.PI) / 6
    return `<path d="${star(4 + BAND_WIDTH / 2 + 12 * Math.sin(angle), 27 - 12 * Math.cos(angle))}"/>`
  }).join('')
  const middle = BAND_WIDTH + (width - BAND_WIDTH) / 2
  const figures = (fill: string, shift: number): string =>
    `<text x="${middle + shift}" y="${63 + shift}" font-family="${FONT}" font-weight="700" font-size="60"
      letter-spacing="4" text-anchor="middle" fill="${fill}">${text}</text>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${PLATE_HEIGHT}">
    <rect width="${width}" height="${PLATE_HEIGHT}" rx="11" fill="#0b0c0d"/>
    <rect x="4" y="4" width="${width - 8}" height="${PLATE_HEIGHT - 8}" rx="7" fill="#f3f1ea"/>
    <path d="M${BAND_WIDTH + 4} 4H11a7 7 0 0 0-7 7v${PLATE_HEIGHT - 22}a7 7 0 0 0 7 7h${BAND_WIDTH - 7}z" fill="#123a9c"/>
    <g fill="#f5c518">${stars}</g>
    <text x="${4 + BAND_WIDTH / 2}" y="70" font-family="${FONT}" font-weight="700" font-size="21" text-anchor="middle"
      fill="#f3f1ea">B</text>
    ${figures('#ffffff', 1.5)}${figures('#121316', 0)}
  </svg>`
  return { svg, width }
}

/** Outline of a five-pointed star around a middle, as an SVG path. */
function star(x: number, y: number): string {
  const points = Array.from({ length: 10 }, (_, at) => {
    const radius = at % 2 === 0 ? 3.4 : 1.4
    const angle = (at * Math.PI) / 5
    return `${(x + radius * Math.sin(angle)).toFixed(1)} ${(y - radius * Math.cos(angle)).toFixed(1)}`
  })
  return `M${points.join('L')}z`
}
