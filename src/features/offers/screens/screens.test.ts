import { expect, test } from 'vitest'
import { fitChips } from './answer-choices.tsx'
import { announcedMark, timeLeft, untilNextChange } from './countdown.tsx'
import { shownPictures } from './pictures.ts'
import { allInPrice } from './price-pair.tsx'
import { isKnownRight, whyNotAddable } from './use-purchase.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test.each([
  [3 * DAY + 4 * HOUR + 59 * MINUTE, { kind: 'days', days: 3, hours: 4 }],
  [DAY, { kind: 'days', days: 1, hours: 0 }],
  [23 * HOUR + 59 * MINUTE + 59_999, { kind: 'hours', hours: 23, minutes: 59 }],
  [HOUR, { kind: 'hours', hours: 1, minutes: 0 }],
  [59 * MINUTE, { kind: 'minutes', minutes: 59 }],
  // Never zero minutes while the contest runs.
  [59_999, { kind: 'lastMinute' }],
  [1, { kind: 'lastMinute' }],
  [0, { kind: 'over' }],
  [-DAY, { kind: 'over' }],
])('%i ms before the end the two largest units are shown', (left, expected) => {
  expect(timeLeft(left)).toEqual(expected)
})

test.each([
  ['a mark that was passed', 10 * MINUTE + 1, 10 * MINUTE, 10],
  ['no mark twice', 10 * MINUTE, 9 * MINUTE, undefined],
  ['the next mark', 6 * MINUTE, 4 * MINUTE, 5],
  ['the nearest mark after a pause', HOUR, 30_000, 1],
  ['nothing far from the end', DAY, HOUR, undefined],
  ['nothing at the end', MINUTE, 0, undefined],
])('%s is announced', (_, before, now, mark) => {
  expect(announcedMark(before, now)).toBe(mark)
})

test('the next change comes when the running minute has passed', () => {
  const left = 2 * MINUTE + 500
  expect(untilNextChange(left)).toBe(501)
  expect(timeLeft(left - untilNextChange(left))).toEqual({ kind: 'minutes', minutes: 1 })
})

const sized = {
  src: '/media/coupe-front',
  widths: [480, 828, 1600],
  width: 1600,
  height: 1000,
  color: '#333333',
  alt: { fr: 'De face', nl: 'Vooraan', en: 'From the front' },
}
const none = { pictures: [], image: null, carousel_images: [] }

test('a picture has every size in both formats [spec 3.4]', () => {
  expect(shownPictures({ ...none, pictures: [sized], image: '/media/other.webp' })).toMatchObject([
    {
      src: '/media/coupe-front-828.webp',
      avif: '/media/coupe-front-480.avif 480w, /media/coupe-front-828.avif 828w, /media/coupe-front-1600.avif 1600w',
      width: 1600,
      height: 1000,
    },
  ])
})

test('a picture for a dark page has the same sizes', () => {
  const [picture] = shownPictures({ ...none, pictures: [{ ...sized, dark: '/media/coupe-night' }] })
  expect(picture?.dark?.webp).toBe(picture?.webp?.replaceAll('coupe-front', 'coupe-night'))
  expect(picture?.dark?.avif).toBe(picture?.avif?.replaceAll('coupe-front', 'coupe-night'))
})

test('addresses without sizes are shown as they are, each once [spec 3.4]', () => {
  const carousel_images = ['/a.jpg', 'https://pictures.example/b.jpg', '']
  expect(shownPictures({ ...none, image: '/a.jpg', carousel_images })).toEqual([
    { src: '/a.jpg' },
    { src: 'https://pictures.example/b.jpg' },
  ])
  expect(shownPictures(none)).toEqual([])
})

test('the smallest file serves when all are larger than needed', () => {
  const [picture] = shownPictures({ ...none, pictures: [{ ...sized, widths: [1200] }] })
  expect(picture?.src).toBe('/media/coupe-front-1200.webp')
})

const day = new Date('2026-11-15T00:00:00Z')

test.each([
  ['the VAT of the country', '4.90', 1, 'FR', { total: 588, percent: 20, country: 'FR' }],
  ['that of the Netherlands without one', '10.00', 1, undefined, { total: 1210, percent: 21, country: 'NL' }],
  ['that of the sum, not of each ticket', '0.99', 3, 'NL', { total: 359, percent: 21, country: 'NL' }],
  ['nothing where prices include it', '4.90', 1, 'FR', undefined],
])('the price with VAT adds %s', (_, price, quantity, country, expected) => {
  expect(allInPrice(price, quantity, country, day, !expected)).toEqual(expected)
})

const open = { is_active: true, tickets_sold: 3, total_tickets: 24, question: null, correct_choice: null }
const asking = { ...open, question: 'Capitale de la Belgique ?', correct_choice: 'Bruxelles' }
const secret = { ...asking, correct_choice: undefined }

test.each([
  ['no question', open, undefined, undefined, false],
  ['the end before the stock', { ...asking, is_active: false, tickets_sold: 24 }, undefined, 'ended', false],
  ['the stock before the question', { ...asking, tickets_sold: 24 }, undefined, 'soldOut', false],
  ['no answer', asking, undefined, 'answerMissing', false],
  ['an empty answer', asking, '', 'answerMissing', false],
  ['a wrong answer', asking, 'Paris', 'answerWrong', false],
  ['the right answer', asking, 'Bruxelles', undefined, true],
  ['no answer to a secret question', secret, undefined, 'answerMissing', false],
  ['an answer that only the server can judge', secret, 'Bruxelles', undefined, false],
])('%s: why nothing can be added, and whether the answer is known to be right [spec 5.45]', (...row) => {
  const [, offer, answer, obstacle, knownRight] = row
  expect([whyNotAddable(offer, answer), isKnownRight(offer, answer)]).toEqual([obstacle, knownRight])
})

test.each([
  ['few short answers', ['1959', '1965', '1969', '1974'], true],
  ['six answers of 24 letters', Array.from({ length: 6 }, () => 'x'.repeat(24)), true],
  ['seven answers', ['1', '2', '3', '4', '5', '6', '7'], false],
  ['a long answer', ['Oui', 'Non, car la Lune n’était pas encore levée'], false],
])('%s: whether they stand beside each other', (_, choices, fit) => {
  expect(fitChips(choices)).toBe(fit)
})
