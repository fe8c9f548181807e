import { Buffer } from 'node:buffer'
import PDFDocument from 'pdfkit'
import QRCode from 'qrcode'
import { describe, expect, test } from 'vitest'
import { formatDuration } from '#i18n/duration.ts'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { textSetter } from '#platform/documents/pdf-text.ts'
import { readPdf } from './pdf-reader.test-support.ts'
import { ticketFileName } from './ticket-files.ts'
import { type HeldTicket, ticketsPdf } from './ticket-pdf.ts'
import { QR } from './ticket-page.ts'

const settings = {
  brand: 'Volant',
  publicUrl: 'https://shop.example',
  timeZone: 'Europe/Brussels',
  drawClaimMinutes: 10_080,
}

const ticket: HeldTicket = {
  id: '0195f3a2-6c1e-7d34-9b42-8f0f5ce1a7d3',
  number: 421,
  status: 'valid',
  source: 'paid',
  issued_at: new Date('2026-03-04T14:05:00Z'),
  order_id: '0195f3a2-0000-7d34-9b42-8f0f5ce1a7d3',
  order_number: 'K7QM2F9P',
  offer_id: 1,
  slug: 'corsaro-71',
  titles: { fr: 'Corsaro 71 rouge', nl: 'Corsaro 71 rood', en: 'Corsaro 71 red' },
  end_date: new Date('2026-05-31T18:00:00Z'),
  leaf_index: null,
  proof_salt: null,
  terms_hash: null,
  log_key: null,
  claim_seconds: null,
  total_tickets: 5000,
  holder: 'Zoë Lefèvre',
  holder_email: 'zoe@example.test',
}

const draw = async (change: Partial<HeldTicket> = {}, language: Language = 'en', more = {}) =>
  readPdf(await ticketsPdf([{ ...ticket, ...change }], language, { ...settings, ...more }))
const textsOf = async (...call: Parameters<typeof draw>) =>
  (await draw(...call)).elements.map(({ text }) => text)

describe('a ticket as PDF', () => {
  test.each(LANGUAGES)(
    'shows its texts in the caller’s language (%s), in reading order [spec 9.17]',
    async (language) => {
      const plain = (text: string | null) => text?.replaceAll(/[\u00a0\u202f]/g, ' ')
      const say = (name: string, values = {}) => translate(language, `tickets.pdf.${name}`, values)
      const label = (name: string) => say(name).toUpperCase()
      const title = textIn(ticket.titles, language).text
      const top = ['VOLANT', label('title'), label('contest'), title, '0421', say('ofTotal', { total: 5000 })]
      const fields = [label('holder'), 'Zoë Lefèvre', label('endDate'), '31/05/2026 20:00']
      const more = [label('issued'), '04/03/2026 15:05', label('order'), 'K7QM-2F9P']
      const end = [
        say('claim', { claimTime: formatDuration(7 * 24 * 3600, language) }),
        say('zone', { zone: settings.timeZone }),
        '',
        say('scan'),
      ]
      expect((await textsOf({}, language)).map(plain)).toEqual(
        [...top, ...fields, ...more, ...end, 'shop.example/draws/corsaro-71'].map(plain),
      )
    },
  )

  test('is tagged, titled and in its language, with every font in it', async () => {
    const { elements, objects } = await draw({}, 'nl')
    const tags = elements.map(({ tag }) => tag).join(' ')
    expect(tags).toBe('P P P H1 Figure P P P P P P P P P P P Figure P Link')
    const texts = ['(Ticket 0421 – Corsaro 71 rood)', '/Alt (Ticketnummer 0421)']
    for (const part of ['/Lang (nl)', '/Marked true', '/DisplayDocTitle true', ...texts])
      expect(objects).toContain(part)
    const fonts = objects.match(/\/Type \/FontDescriptor/g) ?? []
    expect(objects.match(/\/FontFile2 /g)).toHaveLength(fonts.length)
    expect(objects).not.toMatch(/Helvetica|Times|Courier|\/JavaScript|\/Encrypt/)
  })

  const SALT = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE'
  const TERMS = Buffer.alloc(32, 0xd3)
  const LOGGED = {
    leaf_index: 4,
    proof_salt: SALT,
    terms_hash: TERMS,
    log_key: 'ced89e6e+AYFGZA8CSTr0+8VP4zOI513CyTeuC3cnzCsq+xt1GZo+',
  }
  test.each([
    ['the draw, in the language of the ticket', {}, 'en', '?lang=en'],
    ['the bare page in French', {}, 'fr', ''],
    [
      'the proof of its entry',
      LOGGED,
      'nl',
      `?lang=nl#421.${SALT}.${ticket.id}.${TERMS.toString('base64url')}`,
    ],
  ] as const)('links by its QR code and by a click to %s', async (_, change, language, rest) => {
    const { objects, rectangles, elements } = await draw(change, language)
    const page = 'https://shop.example/draws/corsaro-71'
    expect(objects).toContain(`/URI (${page}${rest})`)
    expect(objects).toContain(`: ${page})`)
    // What everybody can read names no secret.
    expect(elements.map(({ text }) => text).join(' ')).not.toContain(SALT)
    const { modules } = QRCode.create(page + rest, { errorCorrectionLevel: 'M' })
    const dark = (index: number) => modules.data[index] === 1 && index >= 0
    const runs = Array.from(modules.data.keys()).filter(
      (index) => dark(index) && (index % modules.size === 0 || !dark(index - 1)),
    )
    expect(rectangles('Figure')).toEqual([0, runs.length])
  })

  test('names the line of its entry in the public log, counted from 1 like the page of the draw', async () => {
    const texts = await textsOf(LOGGED, 'en')
    expect(texts.join(' ')).toContain('Line 5 of the public log.')
  })

  test('says what binds the shop: the hash of the terms, and the key of the log', async () => {
    const texts = await textsOf(LOGGED, 'en')
    expect(texts).toContain(`Terms of the draw: ${'d3'.repeat(32)}`)
    expect(texts).toContain(`Key of the log: ${LOGGED.log_key}`)
  })

  test('has a QR code whose modules a phone reads from a hand’s breadth, at the longest address', async () => {
    const host = 'https://www.the-longest-shop-of-them-all.example'
    const { objects } = await draw({ ...LOGGED, slug: 'x'.repeat(60), number: 10_000_000 }, 'nl', {
      publicUrl: host,
    })
    const [, content = ''] = /\/URI \((https:[^)]+)\)/.exec(objects) ?? []
    const { modules } = QRCode.create(content, { errorCorrectionLevel: 'M' })
    // A point is 0.353 mm; readers need 0.4 mm for each module.
    expect((QR.side / modules.size) * 0.353).toBeGreaterThan(0.5)
  })

  test('has the same bytes each time, and other bytes for another ticket, language or shop', async () => {
    const bytes = (change = {}, language: 'fr' | 'en' = 'fr', more = {}) =>
      ticketsPdf([{ ...ticket, ...change }], language, { ...settings, ...more })
    const others = [bytes({}, 'en'), bytes({ number: 422 }), bytes({}, 'fr', { brand: 'Other' })]
    const [first, ...rest] = await Promise.all([bytes(), bytes(), ...others])
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect((await bytes()).equals(first)).toBe(true)
    expect(rest.map((other) => other.equals(first))).toEqual([true, false, false, false])
    expect(Buffer.from(first).subarray(0, 8).toString()).toBe('%PDF-1.7')
    expect(first.length).toBeLessThan(60_000)
  })

  test('names the time for the claim of its contest’s terms, else of the setting', async () => {
    const claimOf = async (...call: Parameters<typeof draw>) => (await textsOf(...call)).join(' ')
    expect(await claimOf({}, 'en', { drawClaimMinutes: 90 })).toContain('within 90 minutes')
    expect(await claimOf({ claim_seconds: 864_000 }, 'nl')).toContain('binnen 10 dagen')
    expect(await claimOf({ claim_seconds: 86_400 }, 'fr')).toMatch(/sous 1.jour,/)
  })

  test('shows times in the shop’s zone', async () => {
    const texts = await textsOf({}, 'en', { timeZone: 'America/New_York' })
    expect(texts).toEqual(
      expect.arrayContaining(['31/05/2026 14:00', '04/03/2026 09:05', 'Time zone: America/New_York.']),
    )
  })

  test('falls back to the French title and marks it as French', async () => {
    const { elements, objects } = await draw({ titles: { fr: 'Corsaro 71 rouge' } }, 'en')
    expect(elements.find(({ tag }) => tag === 'H1')?.text).toBe('Corsaro 71 rouge')
    expect(objects).toMatch(/\/S \/H1\n\/Lang \(fr\)/)
  })

  test('names no order on a postal entry', async () => {
    const texts = await textsOf({ source: 'postal', order_id: null, order_number: null }, 'fr')
    expect(texts.slice(-6, -4)).not.toContain('COMMANDE')
    expect(texts).toEqual(expect.arrayContaining(['PARTICIPATION', 'Gratuite, par courrier']))
  })

  test('is stamped when it is void, and only then', async () => {
    const stamp = translate('nl', 'tickets.pdf.void').toUpperCase()
    expect(await textsOf({ status: 'void' }, 'nl')).toContain(stamp)
    expect(await textsOf({}, 'nl')).not.toContain(stamp)
  })

  test.each([
    [1, 1, '1'],
    [7, 24, '07'],
    [249_981, 250_000, '249981'],
    [10_000_000, 10_000_000, '10000000'],
  ])('number %i of %i reads %s', async (number, total_tickets, shown) => {
    const { elements } = await draw({ number, total_tickets })
    expect(elements.find(({ tag }) => tag === 'Figure')?.text).toBe(shown)
  })

  test.each([
    ['Łukasz Gőrög-Şahin', 'Łukasz Gőrög-Şahin'],
    ['Marie 🚗 Curie', 'Marie Curie'],
    ['Nguyễn Văn', 'Nguyễn Văn'],
    ['Дмитро Ґудзь', 'Дмитро Ґудзь'],
    ['Γιώργος Παπαδόπουλος', 'Γιώργος Παπαδόπουλος'],
    ['Ștefan Țurcanu', 'Ștefan Țurcanu'],
    ['Ħal Għaxaq Þór Ðóra', 'Ħal Għaxaq Þór Ðóra'],
    ['გიორგი', 'გიორგი'],
    ['Արամ', 'Արամ'],
    ['Who?', 'Who?'],
    ['مهدی\u200cزاده', 'zoe@example.test'],
    ['李小龍', 'zoe@example.test'],
    ['מנחם', 'zoe@example.test'],
    ['🚗', 'zoe@example.test'],
    ['a\u202eb', 'a b'],
  ])('writes the holder %s as %s', async (holder, shown) => {
    expect(await textsOf({ holder })).toContain(shown)
  })

  test('cuts what is too long, and stays one page', async () => {
    const long = 'A very long name '.repeat(30)
    const { elements, objects } = await draw({
      holder: long,
      titles: { fr: long },
      slug: 'very-long-'.repeat(20),
    })
    expect(elements.every(({ text }) => text.length < 90)).toBe(true)
    const cut = elements.filter(({ text }) => text.endsWith('…'))
    expect(cut.map(({ tag }) => tag)).toEqual(['H1', 'P', 'Link'])
    expect(objects).toContain('/Count 1')
  })
})

test('the file is named after contest and number', () => {
  expect(ticketFileName(ticket)).toBe('volant-corsaro-71-0421.pdf')
})

describe('lines of a text', () => {
  const style = { face: 'display', size: 17 } as const
  const text = textSetter(new PDFDocument({ size: 'A5' }))

  test('even lines leave no word alone where the plain ones do', () => {
    const title = 'Ignara V8 voor minder dan een euro'
    expect(text.wrap(title, style, 300, 2)).toEqual(['Ignara V8 voor minder dan een', 'euro'])
    expect(text.wrapEvenly(title, style, 300, 2)).toEqual(['Ignara V8 voor', 'minder dan een euro'])
  })

  test('a text that fits no narrower lines takes the whole width and is cut at its end', () => {
    const title = 'Zeer lang '.repeat(20).trim()
    expect(text.wrapEvenly(title, style, 300, 2)).toEqual(text.wrap(title, style, 300, 2))
    expect(text.wrapEvenly(title, style, 300, 2).at(-1)).toMatch(/…$/)
  })
})
