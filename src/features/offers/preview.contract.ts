import type { Language } from '#shared/languages.ts'
import type { PublicSettings } from '#shared/public-settings.ts'
import type { OfferPreview } from './staff-offers.contract.ts'

export const PREVIEW_PAGES = ['offer', 'list', 'draw'] as const
export type PreviewPage = (typeof PREVIEW_PAGES)[number]

/** What the console gives to the frame that shows pages of the shop (docs/adr/0050). */
export interface PreviewMessage {
  page: PreviewPage
  language: Language
  settings: PublicSettings
  stored: OfferPreview
  /** What a button that would buy says instead. */
  noSale: string
}

/** Where the frame's document is. */
export const PREVIEW_PATH = '/admin/preview/'
