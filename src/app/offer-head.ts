import type { MetaDescriptor } from 'react-router'
import { paths } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import { localized } from '#shared/languages.ts'
import { pageHead } from './head.ts'
import { offerData, sharingPicture } from './structured-data.ts'

/** Longest description that search engines show. */
const SUMMARY_LENGTH = 160

/** Head of a contest's page; a neutral one while the contest is not known, or when there is none. */
export function offerHead(shell: Shell, offer: Offer | null, slug: string): MetaDescriptor[] {
  const page = { path: paths.offer(slug), noindex: true }
  if (!offer) return pageHead(shell, 'offer', page)
  const image = sharingPicture(offer)
  return pageHead(shell, 'offer', {
    ...page,
    title: localized(offer, 'title', shell.language).text,
    description: summary(localized(offer, 'description', shell.language).text),
    jsonLd: [offerData(shell, offer)],
    ...(image && { image }),
  })
}

/** The beginning of a text, cut between two words. */
function summary(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return flat.length <= SUMMARY_LENGTH ? flat : `${flat.slice(0, SUMMARY_LENGTH - 1).replace(/\s\S*$/, '')}…`
}
