/** What each finished picture is made of; `encode.ts` carries it out. */
import type { PrizePart } from '../db/demo/demo-contest.ts'

/** Part of a master in shares of its width and height. */
interface Crop {
  left: number
  top: number
  width: number
  height: number
}

type Bytes = Readonly<Record<number, readonly [avif: number, webp: number]>>

export interface PlannedPicture {
  /** Files are `<stem>-<width>.avif` and `.webp`. */
  stem: string
  /** Name of the master without its ending. */
  master: string
  widths: readonly number[]
  /** The most that a size may weigh as AVIF and as WebP. */
  bytes: Bytes
  /** The page colour the picture runs into. */
  ground: 'light' | 'dark'
  /** Parts of a prize that one sees whole; a test compares them with what the contests promise. */
  shows?: readonly PrizePart[]
  /** The same picture for a page of the dark scheme. */
  darkTwin?: string
  crop?: Crop
  /** Ground added above the crop, as a share of the crop's height. */
  headroom?: number
  /** Brightness above the dark ground, 1 for none: some dark paints need more light than the lamps gave. */
  gain?: number
  saturation?: number
}

const CARS = ['fastback', 'roadster', 'tourer', 'supercar', 'saloon', 'estate', 'suv', 'hatch'] as const
const VIEWS = ['front', 'night', 'rear', 'detail', 'cockpit'] as const

/** Up to what a zoom of 8 shows on a phone and of 2 on a desk; a width above its master's is left out. */
const CAR_WIDTHS = [240, 480, 696, 828, 1280, 1600, 3200]
/**
 * What the pictures of November 2026 weighed at most, by what they show: the sizes of cards and first screens decide how
 * fast a page stands. What only the zoom loads has no limit.
 */
const WHOLE_CAR: Bytes = {
  240: [2600, 3400],
  480: [5000, 8000],
  696: [8000, 12_800],
  828: [10_000, 16_200],
  1280: [19_300, 28_900],
  1600: [28_400, 41_300],
}
const CLOSE_UP: Bytes = {
  240: [2600, 3400],
  480: [6300, 9600],
  696: [10_700, 15_600],
  828: [14_500, 20_400],
  1280: [29_700, 39_200],
  1600: [45_900, 63_500],
}
const HERO: Bytes = {
  828: [5590, 8800],
  1280: [10_170, 16_400],
  1600: [14_170, 22_280],
  2400: [26_660, 41_510],
}
const TALL_HERO: Bytes = { 780: [9670, 15_200], 1080: [16_240, 25_290] }
const CATEGORY: Bytes = { 480: [5400, 7900], 828: [12_800, 17_500] }

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

/** A picture in the light studio and its twin in the dark one. */
const inBothStudios = (stem: string, shows: readonly PrizePart[]): PlannedPicture[] => {
  const both = { widths: CAR_WIDTHS, bytes: WHOLE_CAR, shows }
  const darkTwin = `${stem}-dark`
  return [
    { ...both, stem, master: stem, ground: 'light', darkTwin },
    { ...both, stem: darkTwin, master: darkTwin, ground: 'dark' },
  ]
}

const carPictures = CARS.flatMap((car) =>
  VIEWS.flatMap((view): PlannedPicture[] => {
    const stem = `${car}-${view}`
    if (view === 'front' || view === 'rear') return inBothStudios(stem, ['car'])
    const common = { stem, master: stem, widths: CAR_WIDTHS, ground: 'dark' } as const
    if (view === 'detail' || view === 'cockpit') return [{ ...common, bytes: CLOSE_UP }]
    const isNight = view === 'night'
    return [{ ...common, bytes: WHOLE_CAR, shows: ['car'], ...(isNight && nightGain(car)) }]
  }),
)

/** Of the cars that several contests have. */
const sidePictures = (['fastback', 'supercar'] as const).flatMap((car) =>
  inBothStudios(`${car}-side`, ['car']),
)

/** Prizes of more than a car. */
const prizePictures = [
  ...inBothStudios('suv-tent', ['car', 'roof tent']),
  ...inBothStudios('estate-trailer', ['car', 'trailer', 'bicycles']),
  ...inBothStudios('hatch-charger', ['car', 'charger']),
]

/** The car with little ground beside it; the headline stands on the ground added above. */
const TALL: Pick<PlannedPicture, 'crop' | 'headroom'> = {
  crop: { left: 0.362, top: 0.06, width: 0.614, height: 0.9 },
  headroom: 0.706,
}

const heroes = (['dark', 'light'] as const).flatMap((ground): PlannedPicture[] => {
  const master = `hero-${ground}`
  const grade = ground === 'dark' ? { saturation: 1.18 } : {}
  return [
    { stem: master, master, widths: HERO_WIDTHS, bytes: HERO, ground, ...grade },
    { stem: `${master}-tall`, master, widths: TALL_WIDTHS, bytes: TALL_HERO, ground, ...TALL, ...grade },
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
    bytes: CATEGORY,
    crop: CATEGORY_CROP,
  }
  return { ...planned, ground: 'dark', ...nightGain(car) }
})

/** Every picture in sizes. */
export const PICTURES: readonly PlannedPicture[] = [
  ...carPictures,
  ...sidePictures,
  ...prizePictures,
  ...heroes,
  ...categories,
]
