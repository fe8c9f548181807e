import type { MetaDescriptor } from 'react-router'
import { paths } from '#client/paths.ts'
import type { Shell } from '#client/shell.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import { SLIDE_SIZES, shownPictures } from '#features/offers/screens/pictures.ts'
import { localized } from '#shared/languages.ts'
import { type SharingPicture, pageHead } from './head.ts'
import { offerData, summary } from './offer-data.ts'

/** Head of a contest's page; a neutral one while the contest is not known, or when there is none. */
export function offerHead(shell: Shell, offer: Offer | null, slug: string): MetaDescriptor[] {
  const page = { path: paths.offer(slug), noindex: true }
  if (!offer) return pageHead(shell, 'offer', page)
  const title = localized(offer, 'title', shell.language).text
  const image = sharingPicture(shell, offer, title)
  const description = summary(localized(offer, 'description', shell.language).text)
  const tags = pageHead(shell, 'offer', {
    ...page,
    title,
    keywords: title,
    ...(description !== '' && { description }),
    ...(import.meta.env.SSR && { jsonLd: () => offerData(shell, offer) }),
    ...(image && { image }),
  })
  return import.meta.env.SSR ? [...tags, ...firstPicture(offer)] : tags
}

/** Has the carousel's first picture loaded while the scripts are on their way that will show it. */
function firstPicture(offer: Offer): MetaDescriptor[] {
  const [picture] = shownPictures(offer)
  if (!picture?.avif) return []
  return [
    {
      tagName: 'link',
      rel: 'preload',
      as: 'image',
      type: 'image/avif',
      imageSrcSet: picture.avif,
      imageSizes: SLIDE_SIZES,
      fetchPriority: 'high',
    },
  ]
}

/**
 * The picture by which a contest is shared: made by the server of the first one (src/server/sharing-pictures.ts). The
 * query changes with that one, so that networks that keep pictures ask again.
 */
function sharingPicture(
  { language }: Shell,
  { slug, pictures: [first] }: Offer,
  title: string,
): SharingPicture | undefined {
  if (!first) return undefined
  const version = encodeURIComponent(first.src.split('/').at(-1) ?? '')
  return { path: `/media/og-${slug}.jpg?v=${version}`, alt: first.alt[language] || title }
}
