import { pictureAddress, setting } from './setting-kinds.ts'

const EXPECTED = 'an address that begins with https:// or http://, or a path such as /media/hero.webp'
const ours = "left out, the shop's own."

/** Pictures of the home page that lie somewhere else (decisions, "Category and hero pictures"). */
export const PICTURE_SETTINGS = {
  heroPictureUrl: setting(
    'HERO_PICTURE_URL',
    pictureAddress.optional(),
    EXPECTED,
    undefined,
    `Picture at the top of the home page; ${ours}`,
  ),
  sportPictureUrl: setting(
    'CATEGORY_SPORT_PICTURE_URL',
    pictureAddress.optional(),
    EXPECTED,
    undefined,
    `Picture of the card "Sports Cars"; ${ours}`,
  ),
  electricPictureUrl: setting(
    'CATEGORY_ELECTRIC_PICTURE_URL',
    pictureAddress.optional(),
    EXPECTED,
    undefined,
    `Picture of the card "Electric Vehicles"; ${ours}`,
  ),
  everydayPictureUrl: setting(
    'CATEGORY_EVERYDAY_PICTURE_URL',
    pictureAddress.optional(),
    EXPECTED,
    undefined,
    `Picture of the card "Everyday Cars"; ${ours}`,
  ),
} as const
