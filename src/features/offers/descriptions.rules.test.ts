import { expect, test } from 'vitest'
import { allFields, byLanguage, textFields } from '#shared/text-fields.ts'
import { type Description, changeOf, changedOf, changedTo, isSamePictures } from './descriptions.rules.ts'

const ALT = byLanguage((language) => `Car in ${language}`)

const PICTURE: Description['pictures'][number] = {
  file: { src: '/media/car', widths: [480, 960], width: 960, height: 600, color: '#000' },
  picture: null,
  rendition: null,
  focal_x: null,
  focal_y: null,
  ...allFields('alt', (language) => ALT[language]),
}
const OTHER = { ...PICTURE, file: null, picture: 'a', rendition: 'b', focal_x: 1, focal_y: 2 }
const DESCRIPTION: Description = {
  ...textFields('title', { fr: 'Une', nl: 'Een', en: 'One' }),
  ...textFields('description', { fr: 'Bleue', nl: 'Blauw' }),
  pictures: [PICTURE, OTHER],
}

test('what changes is named by field and language, with both texts', () => {
  const after = { ...DESCRIPTION, title: 'Deux', description_en: 'Blue' }
  expect(changeOf(DESCRIPTION, after, String)).toEqual({
    texts: [
      { field: 'title', language: 'fr', before: 'Une', after: 'Deux' },
      { field: 'description', language: 'en', before: '', after: 'Blue' },
    ],
    facts: [],
    pictures: null,
  })
  expect(changeOf(DESCRIPTION, DESCRIPTION, String)).toEqual({ texts: [], facts: [], pictures: null })
})

test('figures of the prize are named with both values, and one that is not given has no field', () => {
  const before = { ...DESCRIPTION, prize_power_kw: 294, prize_year: 2026 }
  const after = changedTo(before, { prize_power_kw: 316, prize_zero_to_100: '4.3', prize_year: null })
  expect(after).toEqual({ ...DESCRIPTION, prize_power_kw: 316, prize_zero_to_100: '4.3' })
  expect(changeOf(before, after, String)).toEqual({
    texts: [],
    facts: [
      { fact: 'power_kw', before: '294', after: '316' },
      { fact: 'zero_to_100', before: null, after: '4.3' },
      { fact: 'year', before: '2026', after: null },
    ],
    pictures: null,
  })
  // As a draft has it.
  const nothing = { prize_zero_to_100: '', prize_range_km: null }
  expect(changedTo(DESCRIPTION, nothing)).toEqual(DESCRIPTION)
  expect(changedOf(DESCRIPTION, { ...DESCRIPTION, ...nothing })).toEqual([])
})

test.each<[Partial<Description>, string[]]>([
  [{}, []],
  [{ title_nl: 'Twee' }, ['title']],
  [{ description_en: 'Blue', description: '' }, ['description']],
  [{ pictures: [] }, ['pictures']],
  [{ prize_range_km: 430 }, ['facts']],
  [
    { pictures: [OTHER, PICTURE], title: 'Deux', description_nl: 'Rood' },
    ['title', 'description', 'pictures'],
  ],
])('in short, a change of %o is one of %j', (change, parts) => {
  expect(changedOf(DESCRIPTION, { ...DESCRIPTION, ...change })).toEqual(parts)
})

test.each<[string, Description['pictures']]>([
  ['another order', [OTHER, PICTURE]],
  ['one fewer', [PICTURE]],
  ['another cut', [PICTURE, { ...OTHER, rendition: 'c' }]],
  ['another point', [PICTURE, { ...OTHER, focal_y: 3 }]],
  ['other words', [{ ...PICTURE, alt_nl: 'Wagen' }, OTHER]],
  ['another file', [{ ...PICTURE, file: { ...PICTURE.file!, src: '/media/van' } }, OTHER]],
])('pictures change with %s, and are shown before and after', (_name, pictures) => {
  expect(isSamePictures(DESCRIPTION.pictures, pictures)).toBe(false)
  const change = changeOf(DESCRIPTION, { ...DESCRIPTION, pictures }, ({ file }) => file?.src ?? 'cut')
  expect(change.texts).toEqual([])
  expect(change.pictures?.before).toEqual([
    { src: '/media/car', alt: ALT },
    { src: 'cut', alt: ALT },
  ])
  expect(change.pictures?.after).toHaveLength(pictures.length)
})
