import { expect, test } from 'vitest'
import { type CalendarEvent, calendarFile } from './calendar-file.ts'

const EVENT: CalendarEvent = {
  uid: 'draw-car@shop.example',
  stamp: new Date('2026-11-30T08:00:00.123Z'),
  start: new Date('2026-12-31T19:00:00Z'),
  end: new Date('2026-12-31T19:15:00Z'),
  summary: 'Draw: Karst',
  description: 'Live',
  url: 'https://shop.example/draws/car/live',
  isCancelled: false,
  reminder: 60,
}

const file = (more: Partial<CalendarEvent> = {}): string =>
  calendarFile({ ...EVENT, ...more }, '-//Volant//Draws//EN')

/** Reads a text as a calendar does: unfolds its lines, then undoes what RFC 5545, 3.3.11 escapes. */
function read(text: string, property: string): string | undefined {
  const line = text
    .replaceAll('\r\n ', '')
    .split('\r\n')
    .find((one) => one.startsWith(`${property}:`))
  return line
    ?.slice(property.length + 1)
    .replaceAll(/\\([\\;,nN])/g, (_, one: string) => (/n/i.test(one) ? '\n' : one))
}

test('a calendar has one event in UTC, and a reminder', () => {
  expect(file().split('\r\n')).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Volant//Draws//EN',
    'BEGIN:VEVENT',
    'UID:draw-car@shop.example',
    'DTSTAMP:20261130T080000Z',
    'DTSTART:20261231T190000Z',
    'DTEND:20261231T191500Z',
    'SUMMARY:Draw: Karst',
    'DESCRIPTION:Live',
    'URL:https://shop.example/draws/car/live',
    'STATUS:CONFIRMED',
    'TRANSP:TRANSPARENT',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:Draw: Karst',
    'TRIGGER:-PT60M',
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ])
})

test('a cancelled draw stays in the calendar as cancelled, without a reminder', () => {
  const text = file({ isCancelled: true })
  expect(text).toContain('STATUS:CANCELLED\r\n')
  expect(text).not.toContain('VALARM')
})

test.each([
  ['commas, semicolons and backslashes', String.raw`Karst, 4; "Expédition" \ tente:\n`],
  ['newlines', 'one\ntwo\n\nthree'],
  ['lines that look like properties', 'Karst\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:Another'],
  ['emoji of several code points', `${'🏎️👩🏽‍🔧🇧🇪'.repeat(12)}!`],
  ['letters of two octets', 'é'.repeat(200)],
  ['words of a script with three octets', '抽選会'.repeat(40)],
  ['a space at the fold', `${'x'.repeat(66)} y ${'z'.repeat(90)}`],
  ['nothing', ''],
])('a title with %s is read as it was written, in lines of at most 75 octets', (_, title) => {
  const text = file({ summary: title, description: `${title}\n${title}` })
  expect(read(text, 'SUMMARY')).toBe(title)
  expect(read(text, 'DESCRIPTION')).toBe(`${title}\n${title}`)
  const lines = text.split('\r\n')
  expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([])
  expect(lines.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(1)
  // Nothing but the ends of lines breaks one, and no character is cut in two.
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n\uFFFD]/)
})

test('a line has 75 octets before it continues', () => {
  const [first, second] = file({ summary: 'a'.repeat(100) })
    .split('\r\n')
    .filter((line) => line.includes('aa'))
  expect([first, second]).toEqual([`SUMMARY:${'a'.repeat(67)}`, ` ${'a'.repeat(33)}`])
})

test.each([
  ['a return and a newline are one line', 'a\r\nb\rc', 'a\nb\nc'],
  ['separators of lines and paragraphs are lines', 'a\u2028b\u2029c\u0085d', 'a\nb\nc\nd'],
  ['control characters are left out, a tab stays', 'a\u0000\u001b\u007fb\tc', 'ab\tc'],
  ['half a character is replaced', 'a\uD83Cb', 'a\uFFFDb'],
])('%s', (_, title, shown) => {
  expect(read(file({ summary: title }), 'SUMMARY')).toBe(shown)
})
