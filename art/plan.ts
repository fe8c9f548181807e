/** What each finished picture is made of; `encode.ts` carries it out. */

/** Part of a master in shares of its width and height. */
interface Crop {
  left: number
  top: number
  width: number
  height: number
}

export interface PlannedPicture {
  /** Files are `<stem>-<width>.avif` and `.webp`. */
  stem: string
  /** Name of the master without its ending. */
  master: string
  widths: readonly number[]
  /** The page colour the picture runs into. */
  ground: 'light' | 'dark'
  crop?: Crop
  /** Ground added above the crop, as a share of the crop's height. */
  headroom?: number
  /** Brightness above the dark ground, 1 for none: some dark paints need more light than the lamps gave. */
  gain?: number
  saturation?: number
}

const CARS = ['fastback', 'roadster', 'tourer', 'supercar', 'saloon', 'estate', 'suv', 'hatch'] as const
const VIEWS = ['front', 'night', 'rear', 'detail'] as const

const CAR_WIDTHS = [480, 696, 828, 1280, 1600]
const HERO_WIDTHS = [828, 1280, 1600, 2400]
const TALL_WIDTHS = [780, 1080]
const CATEGORY_WIDTHS = [480, 828]

/** Dark paint swallows the low-key light of the night view. */
const NIGHT_GAIN: Partial<Record<(typeof CARS)[number], number>> = {
  saloon: 1.35,
  estate: 1.45,
  suv: 1.35,
  hatch: 1.3,
}

const nightGain = (car: (typeof CARS)[number]): { gain?: number } => {
  const gain = NIGHT_GAIN[car]
  return gain === undefined ? {} : { gain }
}

const carPictures = CARS.flatMap((car) =>
  VIEWS.map((view): PlannedPicture => {
    const stem = `${car}-${view}`
    const ground = view === 'front' ? 'light' : 'dark'
    return { stem, master: stem, widths: CAR_WIDTHS, ground, ...(view === 'night' && nightGain(car)) }
  }),
)

/** The car with little ground beside it; the headline stands on the ground added above. */
const TALL: Pick<PlannedPicture, 'crop' | 'headroom'> = {
  crop: { left: 0.362, top: 0.06, width: 0.614, height: 0.9 },
  headroom: 0.706,
}

const heroes = (['dark', 'light'] as const).flatMap((ground): PlannedPicture[] => {
  const master = `hero-${ground}`
  const grade = ground === 'dark' ? { saturation: 1.18 } : {}
  return [
    { stem: master, master, widths: HERO_WIDTHS, ground, ...grade },
    { stem: `${master}-tall`, master, widths: TALL_WIDTHS, ground, ...TALL, ...grade },
  ]
})

/** Which car stands for which card of the collection (spec section 1); white text goes over the picture. */
const CATEGORY_CARS = { sport: 'supercar', electric: 'hatch', everyday: 'estate' } as const

/** 3:2 around the car. */
const CATEGORY_CROP: Crop = { left: 0.01, top: 0, width: 0.9375, height: 1 }

const categories = Object.entries(CATEGORY_CARS).map(([category, car]): PlannedPicture => {
  const planned = {
    stem: `category-${category}`,
    master: `${car}-night`,
    widths: CATEGORY_WIDTHS,
    crop: CATEGORY_CROP,
  }
  return { ...planned, ground: 'dark', ...nightGain(car) }
})

/** Every picture in sizes. The cut-out is the car alone, with an alpha channel. */
export const PICTURES: readonly PlannedPicture[] = [
  ...carPictures,
  ...heroes,
  ...categories,
  { stem: 'cutout-fastback', master: 'cutout-fastback', widths: [828, 1280], ground: 'light' },
]
