import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sidewaysScroll } from '../support/browser.ts'
import { consoleOf, seeScreen } from '../support/console.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

const { shop, visit } = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const open = consoleOf({ shop, visit })

const HEADER =
  '"Datum","Tijd","Tijdzone","Naam","Type","Status","Valuta","Bruto","Kosten","Net","Transactiereferentie","Factuurnummer"'

test('an accountant reads the sales on a phone, keeps them, and compares a statement of PayPal', async ({
  annotate,
}) => {
  const t = words('nl')
  const { ours, captureId } = await shop.paidOrder(2)
  await shop.pool.query('UPDATE captures SET fee_cents = 50 WHERE capture_id = $1', [captureId])

  await annotate('The accountant reads the sales by VAT')
  const { page, faults } = await open('/', { role: 'accountant', width: 360, language: 'nl' })
  await page.goto('/admin/reports')
  await seeScreen(page)
  const seeGood = async (): Promise<void> => {
    expect(await sidewaysScroll(page)).toBe(0)
    await seeAccessible(page)
  }
  await page.getByRole('definition').getByText('€ 11,86').first().waitFor()
  await seeGood()
  await page.getByLabel(t('consoleReports.filters.group')).selectOption('vat')
  await page.getByRole('button', { name: t('consoleReports.filters.apply') }).click()
  await page.getByRole('link', { name: /België, 21/ }).waitFor()
  expect(new URL(page.url()).searchParams.get('group')).toBe('vat')

  await annotate('The accountant keeps the sales, and those of every month')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: t('consoleReports.sales.csv') }).click(),
  ])
  expect(await readFile(await file.path(), 'utf8')).toContain(';11,86;')
  await page.getByLabel(t('consoleReports.subscriptions.month')).check()
  await page.getByText(t('consoleReports.subscriptions.saved')).waitFor()
  expect((await shop.pool.query('SELECT period FROM report_subscriptions')).rows).toEqual([
    { period: 'month' },
  ])

  await annotate('The accountant chooses a statement that cannot be read')
  await page.getByRole('link', { name: t('consoleReports.tabs.statements') }).click()
  await page.getByText(t('consoleReports.statements.empty')).waitFor()
  await seeGood()
  const [today] = (
    await shop.pool.query(`SELECT to_char(now() AT TIME ZONE 'Europe/Brussels', 'DD-MM-YYYY') AS day`)
  ).rows
  const row = (gross: string, fee: string, net: string): string =>
    `"${today.day}","12:00:00","CET","Ann","Express Checkout-betaling","Voltooid","EUR","${gross}","${fee}","${net}","${captureId}",""`
  const choose = (rows: string) =>
    page.getByLabel(t('consoleReports.statements.file')).setInputFiles({
      name: 'Download.CSV',
      mimeType: 'text/csv',
      buffer: Buffer.from(`\u{FEFF}${HEADER}\r\n${rows}\r\n`),
    })
  const isoDay = today.day.split('-').toReversed().join('-')
  const choosePeriod = async () => {
    for (const name of ['from', 'to'] as const)
      await page.getByLabel(t(`consoleReports.statements.${name}`), { exact: true }).fill(isoDay)
  }
  const compare = () => page.getByRole('button', { name: t('consoleReports.statements.submit') }).click()
  await compare()
  await page.getByRole('alert').getByText(t('consoleReports.statements.choose')).waitFor()
  await choosePeriod()
  await choose(row('11,8', '-0,50', '11,36'))
  await compare()
  await page
    .getByRole('alert')
    .getByText(/^Rij 2, kolom .Bruto./)
    .waitFor()
  await seeGood()

  await annotate('The accountant compares a statement that differs')
  const differing = row('11,87', '-0,50', '11,37')
  await choose(differing)
  await compare()
  await page.getByText(t('consoleReports.statement.kinds.amount')).waitFor()
  const number = `${ours.number.slice(0, 4)}-${ours.number.slice(4)}`
  await page.getByRole('link', { name: number }).waitFor()
  await seeGood()

  await annotate('The accountant compares the same statement again')
  await page.getByRole('link', { name: t('consoleReports.tabs.statements') }).click()
  await choosePeriod()
  await choose(differing)
  await compare()
  await page.getByRole('link', { name: t('consoleReports.statements.openKnown') }).waitFor()
  await seeGood()
  await page.getByRole('button', { name: t('consoleReports.statements.again') }).click()
  await page.getByText(t('consoleReports.statement.run')).waitFor()
  await page.getByRole('link', { name: number }).click()
  await page.getByRole('heading', { level: 1, name: new RegExp(number) }).waitFor()
  // The two files that were refused.
  expect(faults.filter((fault) => !/status of 4(?:22|09)/.test(fault))).toEqual([])
})
