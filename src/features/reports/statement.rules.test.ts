import { describe, expect, test } from 'vitest'
import {
  findColumns,
  findDateOrder,
  isBooked,
  kindOf,
  readDay,
  readSignedAmount,
  readZone,
} from './statement.rules.ts'

test.each([
  [
    '"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","Transaction ID","Reference Txn ID","Invoice Number","Custom Number","Balance Impact"',
  ],
  [
    '"Date","Heure","Fuseau horaire","Nom","Type","État","Devise","Avant commission","Commission","Net","Numéro de transaction","Numéro de la transaction de référence","Numéro de facture","Numéro de client","Impact sur le solde"',
  ],
  [
    '"Datum","Tijd","Tijdzone","Naam","Type","Status","Valuta","Bruto","Kosten","Net","Transactiereferentie","Reference Txn ID","Factuurnummer","Aangepast nummer","Effect op saldo"',
  ],
  [
    '"Datum","Uhrzeit","Zeitzone","Name","Typ","Status","Währung","Brutto","Gebühr","Netto","Transaktionscode","Zugehöriger Transaktionscode","Rechnungsnummer","Zollnummer","Auswirkung auf Guthaben"',
  ],
])('finds the columns of %s', (header) => {
  const columns = findColumns(header.split(',').map((cell) => ` ${cell.slice(1, -1)} `))
  expect([...columns.keys()].toSorted()).toEqual([
    'currency',
    'custom',
    'date',
    'fee',
    'gross',
    'id',
    'impact',
    'invoice',
    'net',
    'reference',
    'status',
    'type',
    'zone',
  ])
})

test.each<[text: string, amount: number | undefined, currency?: string]>([
  ['5.93', 593],
  ['5,93', 593],
  ['-1.234.567,89', -123_456_789],
  ['-1,234.56', -123_456],
  ['1 234,56', 123_456],
  ['1\u{202F}234,56', 123_456],
  ['\u{2212}0,70', -70],
  ['-0.00', 0],
  ['12', 1_200],
  // Either 1234 or 1.234.
  ['1,234', undefined],
  ['1,234', 123_400, 'JPY'],
  ['1,23,456.78', undefined],
  ['1.234.56', undefined],
  ['5.9', undefined],
  ['5.933', undefined],
  ['EUR 5.93', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['99999999999.99', undefined],
])('reads %j as %j cents', (text, amount, currency) => {
  expect(readSignedAmount(text, currency)).toBe(amount)
})

test.each([
  ['23/11/2026', '2026-11-23', undefined],
  ['11/23/2026', undefined, '2026-11-23'],
  ['03/04/2026', '2026-04-03', '2026-03-04'],
  ['23.11.2026', '2026-11-23', '2026-11-23'],
  ['3-4-2026', '2026-04-03', '2026-04-03'],
  ['2026-11-23', '2026-11-23', '2026-11-23'],
  ['29/02/2026', undefined, undefined],
  ['31/04/2026', undefined, undefined],
  ['03/04/26', undefined, undefined],
  ['01/01/0001', undefined, undefined],
  ['yesterday', undefined, undefined],
])('reads the date %s', (text, daysFirst, monthsFirst) => {
  expect([readDay(text, 'dmy'), readDay(text, 'mdy')]).toEqual([daysFirst, monthsFirst])
})

test.each([
  [['01/04/2026', '13/04/2026'], 'dmy'],
  [['04/01/2026', '04/13/2026'], 'mdy'],
  // Sorted by day in one way only.
  [['12/03/2026', '01/04/2026', '02/04/2026'], 'dmy'],
  [['03/12/2026', '04/01/2026', '04/02/2026'], 'mdy'],
  [['04/02/2026', '04/01/2026', '03/12/2026'], 'mdy'],
  [['03/04/2026', '03/04/2026'], undefined],
  [['03/04/2026', '04/04/2026'], undefined],
  [['04/04/2026'], 'dmy'],
  [['03.04.2026'], 'dmy'],
  [['30/30/2026'], 'dmy'],
])('tells of %j whether days come first: %s', (dates, order) => {
  expect(findDateOrder(dates)).toBe(order)
})

test.each([
  ['Completed', 'Credit', true],
  ['Abgeschlossen', 'Soll', true],
  ['', '', true],
  ['A state of next year', '', true],
  ['Completed', 'Memo', false],
  ['Terminé', 'Mémo', false],
  ['Pending', 'Credit', false],
  ['En attente', '', false],
  ['In behandeling', '', false],
  ['Ausstehend', '', false],
  ['Denied', '', false],
])('a row that is %j and %j has moved money: %j', (status, impact, booked) => {
  expect(isBooked({ status, impact })).toBe(booked)
})

describe('Of an unknown transaction', () => {
  test.each([
    ['Express Checkout Payment', 593, 'payment'],
    ['Paiement Express Checkout', 593, 'payment'],
    ['Express Checkout-betaling', 593, 'payment'],
    ['PayPal Express-Zahlung', 593, 'payment'],
    ['Express Checkout Payment', -593, 'other'],
    ['Payment Refund', -593, 'refund'],
    ['Remboursement de paiement', -593, 'refund'],
    ['Terugbetaling van betaling', -593, 'refund'],
    ['Rückzahlung', -593, 'refund'],
    ['Payment Reversal', -593, 'refund'],
    ['Chargeback', -593, 'refund'],
    ['Chargeback Fee', -1600, 'other'],
    ['Cancellation of Reversal', 593, 'other'],
    ['Hold on Balance for Dispute Investigation', -593, 'other'],
    ['General Withdrawal', -10_000, 'other'],
    ['Virement vers le compte bancaire', -10_000, 'other'],
    ['Allgemeine Währungsumrechnung', 500, 'other'],
  ])('%s of %i cents is: %s', (type, gross, kind) => {
    expect(kindOf(type, gross)).toBe(kind)
  })

  test.each([
    ['Vente', 593, 'payment'],
    ['Direct Credit', 593, 'payment'],
    ['Payment Fee', 593, 'other'],
    ['Vente', -593, 'other'],
  ])('that names an order of ours, %s of %i cents is: %s', (type, gross, kind) => {
    expect(kindOf(type, gross, true)).toBe(kind)
  })
})

test.each([
  ['CEST', 'CEST'],
  ['PST', 'PST'],
  ['Europe/Berlin', 'Europe/Berlin'],
  ['Europe/Atlantis', undefined],
  ['GMT+02:00', undefined],
  ['', undefined],
])('reads the zone %j as %s', (text, zone) => {
  expect(readZone(text)).toBe(zone)
})
