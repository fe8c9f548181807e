import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { openPaymentShop } from '#features/purchase/payments/server/payments.test-support.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { Staff } from '../../../../test/support/shop.ts'
import { sendReports } from './send-reports.ts'
import { readStatementInThread } from './statement-thread.ts'
import type { Language } from '#shared/languages.ts'

const { shop, run } = await openPaymentShop({
  env: { LIMITS_FACTOR: '1000', REFUND_AMOUNT_ALONE_MAX: '1000' },
})
const STATEMENTS = '/api/staff/reports/statements/'

let staff: Staff
beforeAll(async () => {
  staff = await shop.newStaff('accountant')
})

const HEADERS = {
  en: '"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","From Email Address","Transaction ID","Reference Txn ID","Invoice Number","Custom Number","Balance Impact"',
  fr: '"Date","Heure","Fuseau horaire","Nom","Type","État","Devise","Avant commission","Commission","Net","De l\'adresse email","Numéro de transaction","Numéro de la transaction de référence","Numéro de facture","Numéro de client","Impact sur le solde"',
  nl: '"Datum","Tijd","Tijdzone","Naam","Type","Status","Valuta","Bruto","Kosten","Net","Van e-mailadres","Transactiereferentie","Reference Txn ID","Factuurnummer","Aangepast nummer","Effect op saldo"',
  de: '"Datum","Uhrzeit","Zeitzone","Name","Typ","Status","Währung","Brutto","Gebühr","Netto","Absender E-Mail-Adresse","Transaktionscode","Zugehöriger Transaktionscode","Rechnungsnummer","Zollnummer","Auswirkung auf Guthaben"',
}

interface Row {
  date?: string
  type?: string
  status?: string
  currency?: string
  gross: string
  fee?: string
  net: string
  id: string
  reference?: string
  invoice?: string
  custom?: string
  impact?: string
  zone?: string
}

const line = (row: Row): string => {
  const {
    date = '15/05/2024',
    type = 'Express Checkout Payment',
    status = 'Completed',
    currency = 'EUR',
  } = row
  const cells = [
    date,
    '12:00:00',
    row.zone ?? 'CEST',
    'Anna "Ann" Secret, Ltd',
    type,
    status,
    currency,
    row.gross,
    row.fee ?? '0,00',
  ]
  const more = [
    row.net,
    'anna@secret.test',
    row.id,
    row.reference ?? '',
    row.invoice ?? '',
    row.custom ?? '',
    row.impact ?? '',
  ]
  return [...cells, ...more].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')
}

const file = (rows: readonly Row[], header = HEADERS.en): Buffer =>
  Buffer.from(`\u{FEFF}${[header, ...rows.map(line)].join('\r\n')}\r\n`)

async function send(body: Buffer, query = '', language: Language = 'en') {
  const response = await staff.post(`${STATEMENTS}${query}`, body, {
    language,
    headers: { 'content-type': 'text/csv' },
  })
  return response
}

/** A paid order that was captured in the middle of a month. */
async function paidOn(at: string) {
  const { ours, captureId, orderId } = await shop.paidOrder(1)
  await run('UPDATE captures SET recorded_at = $2 WHERE capture_id = $1', [captureId, at])
  return { id: ours.id, number: ours.number, captureId, orderId }
}

const euro = (cents: number): string =>
  `${cents < 0 ? '-' : ''}${(Math.abs(cents) / 100).toFixed(2).replace('.', ',')}`

async function paymentRow(captureId: string, more: Partial<Row> = {}): Promise<Row> {
  const [{ amount_cents: gross, fee_cents: fee }] = await run(
    'SELECT * FROM captures WHERE capture_id = $1',
    [captureId],
  )
  return { id: captureId, gross: euro(gross), fee: euro(-fee), net: euro(gross - fee), ...more }
}

describe('A statement of PayPal', () => {
  test('is compared to the cent: what agrees, what either lacks, and what differs', async () => {
    const agreed = await paidOn('2024-05-15T10:00:00Z')
    const dearer = await paidOn('2024-05-15T10:00:00Z')
    const otherFee = await paidOn('2024-05-15T10:00:00Z')
    const absent = await paidOn('2024-05-12T10:00:00Z')
    const atEdge = await paidOn('2024-05-09T22:30:00Z')
    const lost = await shop.approvedOrder(1)
    const lostOrder = await shop.orderOf(lost.orderId)
    const refunded = await paidOn('2024-05-11T10:00:00Z')
    await shop.newStaff('owner').then((owner) =>
      owner.post(`/api/staff/orders/${refunded.orderId}/refund/`, {
        reason: 'x',
        reason_code: 'error',
        amount: '1.00',
      }),
    )
    const [{ refund_id: refundId }] = await run(
      `UPDATE refunds SET completed_at = '2024-05-14T10:00:00Z' WHERE order_id = $1 RETURNING refund_id`,
      [refunded.id],
    )
    const body = file([
      { ...(await paymentRow(agreed.captureId)), date: '10/05/2024' },
      { ...(await paymentRow(dearer.captureId)), gross: '5,94', net: '5,23', fee: '-0,71' },
      { ...(await paymentRow(otherFee.captureId)), fee: '-0,01', net: '5,92' },
      await paymentRow(refunded.captureId, { date: '11/05/2024' }),
      {
        id: refundId,
        type: 'Payment Refund',
        gross: '-1,00',
        fee: '0,10',
        net: '-0,90',
        reference: refunded.captureId,
      },
      // Ours by what PayPal was given, though no words say so.
      {
        id: 'LOST0000000000001',
        type: 'Vente',
        gross: '5,93',
        fee: '-0,50',
        net: '5,43',
        custom: lostOrder.id,
      },
      { id: 'STRANGE0000000001', gross: '20,00', net: '20,00' },
      {
        id: 'REVERSAL000000001',
        type: 'Payment Reversal',
        gross: '-5,93',
        net: '-5,93',
        reference: agreed.captureId,
      },
      {
        id: 'WITHDRAWAL0000001',
        type: 'General Withdrawal',
        gross: '-1.000,00',
        net: '-1.000,00',
        date: '20/05/2024',
      },
      {
        id: 'CONVERSION0000001',
        type: 'General Currency Conversion',
        currency: 'USD',
        gross: '7,50',
        net: '7,50',
      },
      { id: 'WAITING0000000001', status: 'Pending', gross: 'not yet', net: '' },
      { id: 'MEMO0000000000001', impact: 'Memo', gross: '1,00', net: '1,00' },
    ])
    const { status, body: found } = await send(body)
    expect(status, JSON.stringify(found)).toBe(200)
    expect(found).toMatchObject({
      from: '2024-05-10',
      to: '2024-05-20',
      imported_by: staff.name,
      rows: 12,
      unbooked: 2,
      agreed: 2,
      run: 1,
      differences: 8,
      at_edge: 1,
      file_hash: createHash('sha256').update(body).digest('hex'),
      counts: { missing_here: 3, missing_there: 2, amount: 1, fee: 3 },
    })
    const order = ({ number }: { number: string }): string => shownOrderNumber(number)
    const items = Object.fromEntries(
      found['items'].map((one: Record<string, string>) => [
        `${one['difference']} ${one['transaction_id']}`,
        one,
      ]),
    )
    const difference = (name: string, id: string, expected: object) =>
      expect(items[`${name} ${id}`], `${name} ${id}`).toMatchObject(expected)
    difference('amount', dearer.captureId, { order: order(dearer), ours: '5.93', theirs: '5.94' })
    difference('fee', dearer.captureId, { theirs: '0.71' })
    difference('fee', refundId, { ours: '0.00', theirs: '-0.10', entry: 'refund' })
    difference('fee', otherFee.captureId, { order: order(otherFee), theirs: '0.01' })
    difference('missing_here', 'LOST0000000000001', { order: order(lostOrder), ours: null, theirs: '5.93' })
    difference('missing_here', 'STRANGE0000000001', { order: null, theirs: '20.00', entry: 'payment' })
    difference('missing_here', 'REVERSAL000000001', { order: order(agreed), theirs: '5.93', entry: 'refund' })
    difference('missing_there', absent.captureId, {
      order: order(absent),
      ours: '5.93',
      at_edge: false,
      day: '2024-05-12',
    })
    difference('missing_there', atEdge.captureId, { at_edge: true })
    const sums = Object.fromEntries(
      found['sums'].map(({ kind, type, currency, count, net }: Record<string, string>) => [
        `${kind} ${currency} ${type}`,
        [count, net],
      ]),
    )
    expect(sums).toMatchObject({
      'other EUR General Withdrawal': [1, '-1000.00'],
      'other USD General Currency Conversion': [1, '7.50'],
      'payment EUR Vente': [1, '5.43'],
      'refund EUR Payment Refund': [1, '-0.90'],
    })
    expect((await staff.get(`${STATEMENTS}${found['id']}/`)).body).toEqual(found)
    expect((await staff.get(STATEMENTS)).body['items'][0]).toMatchObject({ id: found['id'], differences: 8 })
    const [alert] = await run(
      `SELECT subject, details FROM alerts WHERE kind = 'statementPayment' AND resolved_at IS NULL`,
    )
    expect(alert).toMatchObject({ subject: String(found['id']), details: { payments: 2, cents: 2593 } })
    // Nothing of a payer is kept, anywhere.
    const kept = await run(
      'SELECT s::text, (SELECT string_agg(d::text, chr(10)) FROM statement_differences d) FROM statements s',
    )
    expect(JSON.stringify(kept)).not.toMatch(/anna|secret/i)
    const [{ entry }] = await run(
      `SELECT entry FROM audit_log WHERE action = 'reports.import' ORDER BY id DESC LIMIT 1`,
    )
    expect(entry).not.toMatch(/anna|secret/i)
    expect(JSON.parse(entry)).toMatchObject({
      subject: String(found['id']),
      after: { agreed: 2, differences: 9 },
    })

    // Found since: the alert ends.
    const jobs = () => sendReports({ db: shop.db, alerts: shop.checkout.alerts, shop: shop.config })
    const open = () => run(`SELECT FROM alerts WHERE kind = 'statementPayment' AND resolved_at IS NULL`)
    await jobs()
    expect(await open()).toHaveLength(1)
    for (const id of ['LOST0000000000001', 'STRANGE0000000001'])
      await run(
        `INSERT INTO captures (capture_id, order_id, status, amount_cents, currency, recorded_at)
         VALUES ($1, $2, 'completed', 593, 'EUR', '2019-01-01')`,
        [id, lostOrder.id],
      )
    await jobs()
    expect(await open()).toEqual([])
  })

  test.each([
    ['en', 'Express Checkout Payment', 'Completed', '06/14/2024', '.'],
    ['fr', 'Paiement Express Checkout', 'Terminé', '14/06/2024', ','],
    ['nl', 'Express Checkout-betaling', 'Voltooid', '14-06-2024', ','],
    ['de', 'PayPal Express-Zahlung', 'Abgeschlossen', '14.06.2024', ','],
  ] as const)('is read as PayPal writes it in %s', async (language, type, status, date, point) => {
    const { captureId } = await paidOn('2024-06-14T10:00:00Z')
    const others = await run(
      `SELECT capture_id FROM captures WHERE recorded_at::date = '2024-06-14' AND capture_id <> $1`,
      [captureId],
    )
    const rows = await Promise.all(
      [captureId, ...others.map((row) => row.capture_id)].map((id) => paymentRow(id, { type, status, date })),
    )
    const pointed = (amount: string): string => amount.replace(',', point)
    const written = rows.map((row) => ({
      ...row,
      gross: pointed(row.gross),
      fee: pointed(row.fee ?? ''),
      net: pointed(row.net),
    }))
    const { status: responded, body } = await send(file(written, HEADERS[language]))
    expect(responded, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ from: '2024-06-14', to: '2024-06-14', agreed: rows.length, differences: 0 })
  })

  test('fills in fees that PayPal had not told', async () => {
    const { captureId } = await paidOn('2024-07-15T10:00:00Z')
    const row = await paymentRow(captureId, { date: '15/07/2024' })
    await run('UPDATE captures SET fee_cents = NULL WHERE capture_id = $1', [captureId])
    expect((await send(file([row]))).body).toMatchObject({ agreed: 1, differences: 0 })
    const [{ fee_cents: fee }] = await run('SELECT fee_cents FROM captures WHERE capture_id = $1', [
      captureId,
    ])
    expect(euro(-fee)).toBe(row.fee)
  })

  test('is compared once for a period, also by two at the same time, and again when the caller says so', async () => {
    const body = file([
      {
        id: 'ONCE0000000000001',
        type: 'Payment',
        gross: '5,93',
        net: '5,93',
        date: '15/08/2024',
        custom: (await shop.orderOf((await shop.approvedOrder(1)).orderId)).id,
      },
    ])
    const responses = await Promise.all([send(body), send(body)])
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
    const [imported, refused] = responses.toSorted((one, other) => one.status - other.status)
    expect(refused!.body).toMatchObject({ code: 'reports.statementKnown', id: imported!.body['id'] })
    expect((await send(body, '', 'fr')).body['detail']).toBe('Ce fichier a déjà été importé.')
    const open = () =>
      run(`SELECT subject FROM alerts WHERE kind = 'statementPayment' AND resolved_at IS NULL`)
    expect(await open()).toEqual([{ subject: String(imported!.body['id']) }])
    const month = await send(body, '?from=2024-08-01&to=2024-08-31')
    expect(month.body).toMatchObject({ from: '2024-08-01', to: '2024-08-31', run: 1 })
    const second = await send(body, '?again=true')
    expect(second.body).toMatchObject({ from: '2024-08-15', run: 2, counts: { missing_here: 1 } })
    expect(await open()).toEqual([{ subject: String(second.body['id']) }])
    await run(`UPDATE alerts SET resolved_at = now() WHERE kind = 'statementPayment'`)
  })

  test('of one day has what it lacks as a difference, and without a zone at its edge', async () => {
    const { captureId } = await paidOn('2024-09-14T22:30:00Z')
    const of = (zone: string) =>
      file([
        {
          id: `DAY${zone.padEnd(9, '0')}`,
          type: 'Fee',
          gross: '-1,00',
          net: '-1,00',
          date: '14/09/2024',
          zone,
        },
      ])
    // In Brussels it is the next day.
    expect((await send(of('CEST'))).body).toMatchObject({ differences: 0, at_edge: 0 })
    const pacific = await send(of('PDT'))
    expect(pacific.body).toMatchObject({ differences: 1, at_edge: 0, counts: { missing_there: 1 } })
    expect(pacific.body['items']).toMatchObject([{ transaction_id: captureId, day: '2024-09-15' }])
    await run(`UPDATE captures SET recorded_at = '2024-09-14T10:00:00Z' WHERE capture_id = $1`, [captureId])
    expect((await send(of('MARS'))).body).toMatchObject({ differences: 0, at_edge: 1 })
  })

  test('shows what is missing first, page by page', async () => {
    const paid = [await paidOn('2024-10-15T10:00:00Z'), await paidOn('2024-10-15T10:00:00Z')]
    const row = await paymentRow(paid[0]!.captureId, { date: '15/10/2024', fee: '-0,02' })
    const rows = [
      { ...row, net: euro(593 - 2) },
      { id: 'GONE0000000000001', gross: '9,00', net: '9,00', date: '15/10/2024' },
    ]
    const { body } = await send(file(rows))
    const kinds = (items: { difference: string }[]) => items.map(({ difference }) => difference)
    expect(kinds(body['items'])).toEqual(['missing_here', 'missing_there', 'fee'])
    const path = `${STATEMENTS}${body['id']}/differences/`
    const first = await staff.get(`${path}?limit=2`)
    expect([kinds(first.body['items']), first.body['next']]).toEqual([['missing_here', 'missing_there'], '2'])
    const rest = await staff.get(`${path}?limit=2&after=2`)
    expect([kinds(rest.body['items']), rest.body['next']]).toEqual([['fee'], null])
  })

  test('keeps no text of a statement that has descriptions', async () => {
    const header = HEADERS.en.replace('"Type"', '"Description"')
    const type = 'Payment from Anna Secret'
    const { body } = await send(
      file([{ id: 'NAMED000000000001', type, gross: '1,00', net: '1,00', date: '15/11/2019' }], header),
    )
    expect(body['sums']).toMatchObject([{ kind: 'payment', type: '' }])
    expect(JSON.stringify(await run('SELECT s::text FROM statements s'))).not.toContain('Secret')
  })

  test('does not fill in a fee in another currency', async () => {
    const { captureId } = await paidOn('2024-12-15T10:00:00Z')
    const row = await paymentRow(captureId, { date: '15/12/2024', currency: 'USD' })
    await run('UPDATE captures SET fee_cents = NULL WHERE capture_id = $1', [captureId])
    expect((await send(file([row]))).body).toMatchObject({ agreed: 0, counts: { amount: 1, fee: 1 } })
    expect(await run('SELECT fee_cents FROM captures WHERE capture_id = $1', [captureId])).toEqual([
      { fee_cents: null },
    ])
  })

  test('lets the caller say what the file does not', async () => {
    const row = { id: 'DATES000000000001', type: 'Fee', gross: '-1,00', net: '-1,00', date: '03/04/2024' }
    expect((await send(file([row]))).body).toMatchObject({ code: 'reports.statement.dateOrder' })
    expect((await send(file([row]), '?dates=mdy')).body).toMatchObject({ from: '2024-03-04' })
    const whole = { ...row, id: 'DATES000000000002', date: '15/03/2024' }
    expect((await send(file([whole]), '?from=2024-03-16&to=2024-03-31')).body['code']).toBe(
      'reports.statement.statementPeriod',
    )
    expect((await send(file([whole]), '?from=2024-03-01&to=2024-03-31')).body).toMatchObject({
      from: '2024-03-01',
      to: '2024-03-31',
    })
    for (const period of [
      '?from=2024-03-31&to=2024-03-01',
      '?from=0000-01-01',
      '?from=1999-01-01&to=2024-03-31',
    ])
      expect((await send(file([whole]), period)).status, period).toBeOneOf([400, 422])
  })

  const good: Row = { id: 'GOOD0000000000001', type: 'Fee', gross: '-1,00', net: '-1,00' }
  test.each<[what: string, body: () => Buffer, detail: RegExp]>([
    [
      'no amount',
      () => file([good, { ...good, id: 'BAD00000000000001', gross: 'x' }]),
      /^Row 3, column “Gross”: “x”/,
    ],
    ['no date', () => file([{ ...good, date: '31/02/2024' }]), /^Row 2, column “Date”: “31\/02\/2024”/],
    ['no currency', () => file([{ ...good, currency: 'euro' }]), /^Row 2, column “Currency”: “euro”/],
    ['no id', () => file([{ ...good, id: '' }]), /^Row 2, column “Transaction ID”/],
    [
      'a net that does not add up',
      () => file([{ ...good, net: '-1,01' }]),
      /^Row 2, column “Net”: the net “-1,01”/,
    ],
    ['its own name of a column', () => file([{ ...good, gross: '' }], HEADERS.de), /^Row 2, column “Brutto”/],
    ['columns missing', () => Buffer.from('Date,Gross\r\n1,2'), /lacks columns: Type .*, Currency /],
    ['a header alone', () => file([]), /no rows of transactions/],
    ['nothing at all', () => Buffer.alloc(0), /no rows of transactions/],
    [
      'an open quotation mark',
      () => Buffer.concat([file([good]), Buffer.from('"a,b')]),
      /^Row 3 cannot be read/,
    ],
    [
      'another number of cells',
      () => Buffer.concat([file([good]), Buffer.from('"a","b"')]),
      /^Row 3 cannot be read/,
    ],
    ['a control character', () => file([{ ...good, type: 'Fee\0' }]), /^Row 2 cannot be read/],
    [
      'a cell that is cut within a character',
      () => file([{ ...good, currency: `${'x'.repeat(59)}😀` }]),
      /^Row 2, column “Currency”: “x{59}\u{FFFD}”/u,
    ],
    ['bytes of no encoding', () => Buffer.from([...file([good]), 0xe9, 0x81, 0]), /neither UTF-8/],
    ['a spreadsheet', () => Buffer.from('504b0304140006000800', 'hex'), /no rows|neither UTF-8/],
  ])('with %s is refused by row and column, and nothing is kept', async (_, body, detail) => {
    const before = await run('SELECT count(*) FROM statements')
    const response = await send(body())
    expect(response.status).toBe(422)
    expect(response.body['detail']).toMatch(detail)
    expect(await run('SELECT count(*) FROM statements')).toEqual(before)
  })

  const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
  test.each<[what: string, encoded: (text: string) => Buffer]>([
    ['UTF-8', (text) => Buffer.from(text)],
    ['UTF-8 with a mark', (text) => Buffer.from(`\u{FEFF}${text}`)],
    ['UTF-16, little end first', (text) => Buffer.from(`\u{FEFF}${text}`, 'utf16le')],
    ['UTF-16, big end first', (text) => swapped(`\u{FEFF}${text}`)],
    ['UTF-16 without a mark', (text) => Buffer.from(text, 'utf16le')],
    ['UTF-16 without a mark, big end first', swapped],
    // Of the characters in use here, Windows-1252 and Latin-1 write the same bytes.
    ['Windows-1252', (text) => Buffer.from(text, 'latin1')],
  ])('in %s is read', async (_, encoded) => {
    const id = `ENC${crypto.randomUUID().replaceAll('-', '').slice(0, 14).toUpperCase()}`
    const text = file([{ ...good, id, type: 'Gebühr für Zoë' }], HEADERS.fr)
      .toString()
      .replace(/^\u{FEFF}/u, '')
    expect(text).toMatch(/[é]/)
    const response = await send(encoded(text))
    expect([response.status, response.body['detail']]).toEqual([200, undefined])
  })

  test('that is too large is refused before it is read', async () => {
    const response = await send(Buffer.alloc(24 * 1024 * 1024 + 1, 'x'))
    expect([response.status, response.body['detail']]).toEqual([
      413,
      'The file is larger than 24 MB. Choose a shorter period.',
    ])
  })

  test('of which the rows are many is refused', async () => {
    const row = line(good).replace('GOOD0000000000001', 'I')
    const body = Buffer.from(`${HEADERS.en}\n${`${row}\n`.repeat(100_001)}`)
    const response = await send(body)
    expect(response.body['detail']).toBe('The file has more than 100000 rows. Choose a shorter period.')
  })

  const columns = ','.repeat(250)
  test.each<[string, string, string]>([
    ['23 million commas', ','.repeat(23_000_000), 'Row 1 has more than 200 columns'],
    ['commas after a header', `${HEADERS.en}\n${','.repeat(23_000_000)}`, 'Row 2 has more than 200 columns'],
    [
      'semicolons',
      `${HEADERS.en.replaceAll(',', ';')}\n\n${columns.replaceAll(',', ';')}`,
      'Row 2 has more than 200',
    ],
    ['tabs', HEADERS.en.replaceAll(',', '\t') + '\t'.repeat(300), 'Row 1 has more than 200 columns'],
    [
      'commas behind a quoted break',
      `${HEADERS.en}\r\n"a\r\nb"${columns}`,
      'Row 2 has more than 200 columns',
    ],
    ['one quote and no end', `${HEADERS.en}\n"${'x'.repeat(22_000_000)}`, 'Row 2 cannot be read as CSV.'],
    ['lines and nothing in them', '\n'.repeat(23_000_000), 'The file has no rows'],
    ['short lines', 'a\n'.repeat(11_000_000), 'The file has more than 100000 rows'],
  ])('with %s is refused, with little memory', async (_, text, expected) => {
    const file = Buffer.from(text)
    const response = await send(file)
    expect([response.status, response.body['detail']]).toEqual([422, expect.stringMatching(expected)])
  })

  test('of two million cells in rows that do not fit its header is refused, and the next one is read', async () => {
    const cells = Array.from({ length: 180 }, (_, index) => `"${'x'.repeat(index % 20)}"`).join(',')
    const body = Buffer.from(`${HEADERS.en}\n${`${cells}\n`.repeat(10_000)}`)
    expect((await send(body)).status).toBe(422)
    expect((await send(file([good]))).status).toBe(200)
  })

  test('is read in a thread, while other calls get a response', async () => {
    const rows = Array.from({ length: 8_000 }, (_, index) => ({ ...good, id: `TURN${1_000_000 + index}` }))
    let turns = 0
    let counting = setImmediate(function count() {
      turns += 1
      counting = setImmediate(count)
    })
    const { entries } = await readStatementInThread(file(rows), undefined)
    clearImmediate(counting)
    expect(entries).toHaveLength(8_000)
    expect(turns).toBeGreaterThan(100)
  })

  test('that does not exist is not found', async () => {
    expect((await staff.get(`${STATEMENTS}999999/`)).status).toBe(404)
    expect((await staff.get(`${STATEMENTS}x/`)).status).toBe(400)
  })
})
