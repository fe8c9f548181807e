import sharp from 'sharp'
import type { PrizePart } from '../db/demo/demo-contest.ts'
import { ASPHALT, mark, sizeOf, words } from './words.ts'

/** Size that social networks ask for (spec section 2, Every page). */
const WIDTH = 1200
const HEIGHT = 630

const FONT = 'Liberation Sans Narrow'
const MARGIN = 48
const PLATE_HEIGHT = 84
const BAND_WIDTH = 46
const LETTER_WIDTH = 37

/** Height of the strip below the picture, which says what a ticket costs and what it can win. */
const STRIP = 104
/** A master is as wide as the share picture and loses some sky and floor. */
const MASTER_HEIGHT = 750
/** Share of what is cut off the master that is cut off above the car. */
const SKY = 0.45

type Fonts = { wide: string }

export interface Shared {
  /** What the plate reads. */
  plate: string
  ticketPriceCents: number
  totalTickets: number
  prize: readonly PrizePart[]
}

/**
 * Writes a share picture as JPEG: the master, and below it the shop's mark, the name as a number plate, the price of a
 * ticket and the odds. One picture serves every language, so it has figures and no words; the end of a contest of the
 * demonstration depends on the day on which it is loaded, and no picture made before can name it.
 */
export async function sharePicture(
  master: string,
  shared: Shared,
  file: string,
  fonts: Fonts,
): Promise<void> {
  // A tall prize does not fill the width: the studio runs on beside the master.
  const tall = shared.prize.includes('roof tent') ? HEIGHT - STRIP : MASTER_HEIGHT
  const { width, height } = await sharp(master).metadata()
  const wide = Math.round((width * tall) / height)
  const left = Math.round((WIDTH - wide) / 2)
  const scaled = await sharp(master).resize(wide, tall, { kernel: 'lanczos3' }).png().toBuffer()
  const whole = sharp(scaled).extend({ left, right: WIDTH - wide - left, extendWith: 'copy' })
  const image = sharp(await whole.png().toBuffer()).extract({
    left: 0,
    top: Math.round((tall - (HEIGHT - STRIP)) * SKY),
    width: WIDTH,
    height: HEIGHT - STRIP,
  })
  const price = `${(shared.ticketPriceCents / 100).toFixed(2).replace('.', ',')}\u00a0€`
  const odds = `1\u202f/\u202f${shared.totalTickets.toLocaleString('fr').replaceAll(/\s/g, '\u202f')}`
  const [brand, figures, plate] = await Promise.all([
    words({ text: 'Volant', font: 'Archivo SemiBold, 40', file: fonts.wide, width: 400 }),
    words({
      text: `${price}<span foreground="#5b5c5e">   |   </span><span foreground="#c9c7c1">${odds}</span>`,
      font: 'Archivo SemiBold, 38',
      file: fonts.wide,
      width: 900,
    }),
    sharp(Buffer.from(plateSvg(shared.plate)))
      .resize({ height: 60 })
      .png()
      .toBuffer(),
  ])
  const middle = async (part: Buffer): Promise<number> =>
    HEIGHT - STRIP + Math.round((STRIP - (await sizeOf(part)).height) / 2)
  const brandLeft = MARGIN + 68
  await sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: ASPHALT } })
    .composite([
      { input: await image.toBuffer(), left: 0, top: 0 },
      { input: mark(52), left: MARGIN, top: HEIGHT - STRIP + (STRIP - 52) / 2 },
      { input: brand, left: brandLeft, top: await middle(brand) },
      { input: plate, left: brandLeft + (await sizeOf(brand)).width + 36, top: await middle(plate) },
      { input: figures, left: WIDTH - MARGIN - (await sizeOf(figures)).width, top: await middle(figures) },
    ])
    .jpeg({ quality: 80, mozjpeg: true })
    .toFile(file)
}

/** A European number plate: blue band with the stars, raised figures on white. */
function plateSvg(text: string): string {
  const width = BAND_WIDTH + 44 + text.length * LETTER_WIDTH
  const stars = Array.from({ length: 12 }, (_, at) => {
    const angle = (at * Math.PI) / 6
    return `<path d="${star(4 + BAND_WIDTH / 2 + 12 * Math.sin(angle), 27 - 12 * Math.cos(angle))}"/>`
  }).join('')
  const middle = BAND_WIDTH + (width - BAND_WIDTH) / 2
  const figures = (fill: string, shift: number): string =>
    `<text x="${middle + shift}" y="${63 + shift}" font-family="${FONT}" font-weight="700" font-size="60"
      letter-spacing="4" text-anchor="middle" fill="${fill}">${text}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${PLATE_HEIGHT}">
    <rect width="${width}" height="${PLATE_HEIGHT}" rx="11" fill="#0b0c0d"/>
    <rect x="4" y="4" width="${width - 8}" height="${PLATE_HEIGHT - 8}" rx="7" fill="#f3f1ea"/>
    <path d="M${BAND_WIDTH + 4} 4H11a7 7 0 0 0-7 7v${PLATE_HEIGHT - 22}a7 7 0 0 0 7 7h${BAND_WIDTH - 7}z" fill="#123a9c"/>
    <g fill="#f5c518">${stars}</g>
    <text x="${4 + BAND_WIDTH / 2}" y="70" font-family="${FONT}" font-weight="700" font-size="21" text-anchor="middle"
      fill="#f3f1ea">V</text>
    ${figures('#ffffff', 1.5)}${figures('#121316', 0)}
  </svg>`
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
