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

/** A share picture of 1200x630: a master behind, a number plate in front. */
export interface SharePicture {
  name: string
  master: string
  /** What the plate reads: a name, never a word that would need translating. */
  plate: string
  crop: Crop
}

const CARS = ['fastback', 'roadster', 'tourer', 'supercar', 'saloon', 'estate', 'suv', 'hatch'] as const
const VIEWS = ['front', 'night', 'rear', 'detail'] as const

const CAR_WIDTHS = [480, 828, 1280, 1600]
const HERO_WIDTHS = [828, 1280, 1600, 2400]
const TALL_WIDTHS = [480, 720, 1080]
const CATEGORY_WIDTHS = [480, 828, 1280]

/** Dark paint swallows the low-key light of the night view. */
const NIGHT_GAIN: Partial<Record<(typeof CARS)[number], number>> = { saloon: 1.35, estate: 1.45, suv: 1.35 }

const carPictures = CARS.flatMap((car) =>
  VIEWS.map((view): PlannedPicture => {
    const stem = `${car}-${view}`
    const planned: PlannedPicture = { stem, master: stem, widths: CAR_WIDTHS, ground: view === 'front' ? 'light' : 'dark' }
    const gain = view === 'night' ? NIGHT_GAIN[car] : undefined
    return gain === undefined ? planned : { ...planned, gain }
  }),
)

/** The car with little ground beside it; the headline stands on the ground added above. */
const TALL: Pick<PlannedPicture, 'crop' | 'headroom'> = {
  crop: { left: 0.362, top: 0.06, width: 0.614, height: 0.9 },
  headroom: 0.71,
}

const heroes = (['dark', 'light'] as const).flatMap((ground): PlannedPicture[] => {
  const master = `hero-${ground}`
  const grade = ground === 'dark' ? { saturation: 1.18 } : {}
  return [
    { stem: master, master, widths: HERO_WIDTHS, ground, ...grade },
    { stem: `${master}-tall`, master, widths: TALL_WIDTHS, ground, ...TALL, ...grade },
  ]
})

const CATEGORY_CARS = { sports: 'supercar', electric: 'hatch', everyday: 'estate' } as const

const categories = Object.entries(CATEGORY_CARS).flatMap(([category, car]): PlannedPicture[] => [
  {
    stem: `category-${category}-light`,
    master: `${car}-front`,
    widths: CATEGORY_WIDTHS,
    ground: 'light',
    crop: { left: 0.05, top: 0.1, width: 0.9, height: 0.9 * 1.2 * 0.75 },
  },
  {
    stem: `category-${category}-dark`,
    master: `${car}-night`,
    widths: CATEGORY_WIDTHS,
    ground: 'dark',
    crop: { left: 0.03, top: 0.1, width: 0.94, height: 0.94 * 1.2 * 0.75 },
    gain: NIGHT_GAIN[car as keyof typeof NIGHT_GAIN] ?? 1,
  },
])

/** Every picture in sizes. The cut-out is the car alone, with an alpha channel. */
export const PICTURES: readonly PlannedPicture[] = [
  ...carPictures,
  ...heroes,
  ...categories,
  { stem: 'cutout-fastback', master: 'cutout-fastback', widths: [480, 828, 1262], ground: 'light' },
]
