import sharp, { type Sharp } from 'sharp'

/** A finished picture of the set: how it is cut out of a master, and in which widths it is wanted. */
export interface PictureJob {
  stem: string
  master: string
  widths: readonly number[]
  /** Whole picture in the size of its largest width or above; later steps only scale it down. */
  cut: (master: Sharp) => Promise<Sharp> | Sharp
}

const CAR_WIDTHS = [480, 828, 1280, 1600]
const HERO_WIDTHS = [828, 1280, 1600, 2400]
const TALL_WIDTHS = [720, 1080]
const CUTOUT_WIDTHS = [828, 1280]
const CATEGORY_WIDTHS = [480, 828]

/** Which dark picture stands behind which card of the collection (spec section 1). */
const CATEGORIES = { sport: 'supercar-night', electric: 'hatch-night', everyday: 'estate-night' }

/** Where the car stands in a hero master of 2400x1200, with some air on both sides. */
const HERO_CAR = { left: 850, width: 1510, height: 1200 }

/** 4:5 with the car in the lower part: the upper third is ground, for a headline. */
const TALL_HEIGHT = (HERO_CAR.width * 5) / 4

/**
 * Every picture that can be made of the masters at hand.
 *
 * @param masters names of the masters without their ending, e.g. "suv-front"
 */
export function pictureJobs(masters: readonly string[]): PictureJob[] {
  return masters.flatMap((master) => {
    if (master.startsWith('hero-')) return [whole(master, HERO_WIDTHS), tall(master)]
    if (master.startsWith('cutout-')) return [whole(master, CUTOUT_WIDTHS)]
    return [whole(master, CAR_WIDTHS), ...categoriesOf(master)]
  })
}

const whole = (master: string, widths: readonly number[]): PictureJob => ({
  stem: master,
  master,
  widths,
  cut: (picture) => picture,
})

const categoriesOf = (master: string): PictureJob[] =>
  Object.entries(CATEGORIES)
    .filter(([, source]) => source === master)
    .map(([category]) => ({
      stem: `category-${category}`,
      master,
      widths: CATEGORY_WIDTHS,
      cut: (picture) => picture.extract({ left: 20, top: 0, width: 1500, height: 1000 }),
    }))

const tall = (master: string): PictureJob => ({
  stem: `${master}-tall`,
  master,
  widths: TALL_WIDTHS,
  cut: async (picture) => {
    const car = await picture.extract({ ...HERO_CAR, top: 0 }).removeAlpha().png().toBuffer()
    const above = Math.round(TALL_HEIGHT - HERO_CAR.height)
    // The uppermost rows, smoothed and drawn out, carry the studio's own light on without a seam.
    const ground = await sharp(car)
      .extract({ left: 0, top: 0, width: HERO_CAR.width, height: 12 })
      .resize(HERO_CAR.width, 1, { fit: 'fill' })
      .resize(HERO_CAR.width, above, { fit: 'fill', kernel: 'nearest' })
      .blur(24)
      .png()
      .toBuffer()
    return sharp({ create: { width: HERO_CAR.width, height: above + HERO_CAR.height, channels: 3, background: '#000' } })
      .composite([
        { input: ground, left: 0, top: 0 },
        { input: car, left: 0, top: above },
      ])
  },
})
