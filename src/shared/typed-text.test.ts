import fc from 'fast-check'
import { expect, test } from 'vitest'
import { typedName } from './fields.ts'
import { cleanLine, cleanText, readWholeNumber, visibleText } from './typed-text.ts'

test.each([
  ['مهدی\u200cزاده', 'مهدی\u200cزاده'],
  ['नर\u200dमदा', 'नर\u200dमदा'],
  ['क्\u200dष', 'क्\u200dष'],
  ['അവന്\u200d', 'അവന്\u200d'],
  ['\u{1F469}\u200d\u{1F680}', '\u{1F469}\u200d\u{1F680}'],
  ['Ann\u200ca', 'Anna'],
  ['ad\u200dmin', 'admin'],
  ['\u200cمهدی\u200c', 'مهدی'],
  ['\u202eadmin\u202c', 'admin'],
  ['\u2066Zoë\u2069\u200b', 'Zoë'],
  ['Zoe\u0308', 'Zoë'],
  ['\ufeff Ada \u00a0', 'Ada'],
  ['Ma\u00adrie', 'Marie'],
  ['A\u{E0041}da', 'Ada'],
  ['\u3164\uffa0\u115f', ''],
])('%j is kept as %j', (typed, kept) => expect(cleanLine(typed)).toBe(kept))

test.each([
  ['Gagnez\u202e une\u0007 voiture\u0000', 'Gagnez une voiture'],
  ['one\r\ntwo\u2028three\vfour\r', 'one\ntwo\nthree\nfour'],
  ['a\tb\n\nc', 'a\tb\n\nc'],
])('the text %j is kept as %j', (typed, kept) => expect(cleanText(typed)).toBe(kept))

test.each([
  'مهدی\u200cزاده',
  'नर\u200dमदा',
  'Παπαδόπουλος',
  'Шевченко',
  'Nguyễn Thị',
  "O'Brien-Łuczak",
  '李小龍',
  'מנחם',
  'გიორგი',
  '\u{1F697}',
  'Zoë \u2067',
])('%j is a name', (name) => expect(Name.safeParse(name).success).toBe(true))

test.each([
  '',
  '  ',
  '\u200b',
  '\u200c\u200d',
  '\u2800',
  '\u3164',
  '\u0301',
  'a\nb',
  'a\u0007b',
  '\ue000',
  `e${'\u0301\u0302'.repeat(6)}`,
  '\u{FFFFE}',
  '\u00ad\u200e',
  'gnp.exe\u202e',
])('%j is no name', (name) => expect(Name.safeParse(name).success).toBe(false))

const Name = typedName('errors.field.required', 150, 'errors.field.tooLong')

const odd = fc
  .array(
    fc.constantFrom(
      ...Array.from(
        'ab \n\r\t\0\u0085\u200b\u200c\u200d\u202e\u2069\ud800یक्e\u0301\u{1F469}\u{1F680}\ufe0f\u094d\u0d4d',
      ),
    ),
    { maxLength: 30 },
  )
  .map((characters) => characters.join(''))

test('cleaning again changes nothing, and leaves no direction and no control character', () => {
  fc.assert(
    fc.property(odd, (typed) => {
      for (const clean of [cleanLine, cleanText, visibleText]) expect(clean(clean(typed))).toBe(clean(typed))
      expect(cleanText(typed)).not.toMatch(
        // oxlint-disable-next-line no-control-regex -- because they are what is meant
        /[\0-\u{8}\u{B}-\u{1F}\u{7F}-\u{9F}\u{200B}\u{202A}-\u{202E}\u{2066}-\u{2069}]/u,
      )
    }),
  )
})

test.each([
  ['12', 12],
  ['  5 ', 5],
  ['1 000', 1_000],
  ['1\u202f000', 1_000],
  ['٣', 3],
  ['１２', 12],
  ['\u200b7\u202c', 7],
  ['007', 7],
  ...[
    '1e2',
    '2,5',
    '2.5',
    '-3',
    '0x10',
    '',
    '1 00',
    '10 000 0',
    '+3',
    '3 billets',
    '½',
    '²',
    '1'.repeat(16),
  ].map((text) => [text, undefined] as const),
] as const)('%j is the whole number %s', (typed, number) => expect(readWholeNumber(typed)).toBe(number))
