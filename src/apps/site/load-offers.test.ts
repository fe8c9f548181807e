import { expect, test } from 'vitest'
import type { Offer } from '#features/offers/offers.contract.ts'
import { asListed } from './load-offers.ts'

const offer = (dark?: string) => {
  const size = { widths: [480, 828], width: 1600, height: 1000, color: '#000' }
  const first = {
    src: '/a',
    ...(dark !== undefined && { dark }),
    ...size,
    alt: { fr: 'a', nl: 'b', en: 'c' },
  }
  const pictures = [first, { ...first, src: '/b' }]
  return { id: 1, slug: 'a', title: 'A', title_nl: 'B', title_en: 'C', pictures } as unknown as Offer
}

test.each([
  ['with its twin for dark pages', '/a-dark', { dark: '/a-dark' }],
  ['without one', undefined, {}],
])('a card has the first picture, in the language of the page, %s', (_, dark, twin) => {
  expect(asListed(offer(dark), 'nl').pictures).toEqual([
    { src: '/a', ...twin, widths: [480, 828], width: 1600, height: 1000, alt: { nl: 'b' } },
  ])
})
