import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import dutch from '#i18n/nl/console.json' with { type: 'json' }
import { formatDay, formatEur } from '#i18n/format.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { ApprovalPermission } from '#shared/staff-permissions.ts'
import { consoleOf, typeIntoPalette } from '../support/console.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'
import { isExtended } from '../support/tier.ts'

// Passkeys belong to a host name.
const { shop, visit } = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })

const open = consoleOf({ shop, visit })

type AlertButton = 'take' | 'takeOver' | 'release' | 'close'

describe('Somebody of staff', () => {
  test('signs in with a password, sets up codes, and signs in with a code on a phone in Dutch', async () => {
    const t = words('nl')
    const { email, password } = await shop.newStaff('manager')
    const { page, faults } = await visit('/admin/audit', { width: 360, language: 'nl' })
    await page.getByLabel(t('console.signIn.email')).fill(email)
    await page.getByLabel(t('console.signIn.password'), { exact: true }).fill('wrong')
    await page.getByRole('button', { name: t('console.signIn.submit'), exact: true }).click()
    await page.getByRole('alert').getByText(t('errors.auth.badCredentials')).waitFor()
    await page.getByLabel(t('console.signIn.password'), { exact: true }).fill(password)
    await page.getByRole('button', { name: t('console.signIn.submit'), exact: true }).click()
    await page.getByRole('heading', { level: 1, name: t('console.audit.title') }).waitFor()

    await page.getByRole('link', { name: t('console.frame.account') }).click()
    await page.getByRole('button', { name: t('console.account.setUp') }).click()
    await page.getByLabel(t('console.stepUp.password')).fill(password)
    await page.getByRole('button', { name: t('console.common.confirm') }).click()
    const key = (await page.locator('form code').textContent()) ?? ''
    const totp = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) })
    // The present code and the next are right even when a step of 30 seconds ends meanwhile.
    const codeAt = (steps: number): string => totp.generate({ timestamp: Date.now() + steps * 30_000 })
    await page.getByLabel(t('console.account.firstCode')).fill(codeAt(0))
    await page.getByRole('button', { name: t('console.account.activate') }).click()
    await expect.poll(() => page.getByRole('dialog').locator('code').count()).toBe(10)
    await seeAccessible(page)
    await page.getByRole('button', { name: t('console.account.kept') }).click()

    await page
      .getByRole('banner')
      .getByRole('button', { name: t('console.frame.signOut') })
      .click()
    await page.getByLabel(t('console.signIn.email')).fill(email)
    await page.getByLabel(t('console.signIn.password'), { exact: true }).fill(password)
    await page.getByRole('button', { name: t('console.signIn.submit'), exact: true }).click()
    await page.getByLabel(t('console.signIn.code')).fill(codeAt(1))
    await page.getByRole('button', { name: t('console.common.confirm') }).click()
    await page.getByRole('heading', { level: 1, name: t('console.today.title') }).waitFor()
    expect(
      faults.filter((fault) => !fault.includes('status of 401') && !fault.includes('status of 403')),
    ).toEqual([])
  })

  test.runIf(isExtended)(
    'makes a passkey, signs in with it alone, and confirms an action with it',
    async () => {
      const t = words('en')
      const { page, context, staff } = await open('/account')
      const devtools = await context.newCDPSession(page)
      await devtools.send('WebAuthn.enable')
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      })
      await page.getByLabel(t('console.account.passkeyName')).fill('Laptop')
      await page.getByRole('button', { name: t('console.account.addPasskey') }).click()
      await page.getByRole('button', { name: t('console.account.kept') }).click()
      await page.getByRole('button', { name: t('console.account.removeNamed', { name: 'Laptop' }) }).waitFor()
      await page.getByLabel(t('console.account.passkeyName')).fill('The same laptop')
      await page.getByRole('button', { name: t('console.account.addPasskey') }).click()
      await page.getByText(t('console.signIn.passkeyKnown')).waitFor()

      await page
        .getByRole('banner')
        .getByRole('button', { name: t('console.frame.signOut') })
        .click()
      await page.getByRole('button', { name: t('console.signIn.passkey') }).click()
      await page.getByRole('heading', { level: 1, name: t('console.today.title') }).waitFor()

      await page.goto('/admin/account')
      await page.getByRole('button', { name: t('console.account.renew') }).click()
      await page.getByRole('button', { name: t('console.stepUp.passkey') }).click()
      await page.getByRole('button', { name: t('console.account.kept') }).click()
      const [{ factors }] = (
        await shop.pool.query(
          `SELECT array_agg(DISTINCT second_factor) AS factors FROM staff_sessions WHERE user_id = $1`,
          [staff.id],
        )
      ).rows
      expect(factors).toContain('passkey')
    },
  )

  test.runIf(isExtended)(
    'takes an alert, takes one over, leaves it and closes it, with every sum in words',
    async () => {
      const t = words('en')
      const first = await shop.newStaff('support')
      const { ours } = await shop.paidOrder(1)
      await shop.checkout.alerts.raise(shop.db, {
        kind: 'ledgerDiffers',
        subject: ours.id,
        details: { ours_cents: 1_500_000_000, theirs_cents: -100 },
      })
      await shop.checkout.alerts.raise(shop.db, { kind: 'jobMissing', subject: 'mailer' })
      const { page, faults } = await open('/alerts', { role: 'support' })
      const item = page.getByRole('listitem').filter({ hasText: shownOrderNumber(ours.number) })
      await item.getByText('€15,000,000.00').waitFor()
      await item.getByText('-€1.00').waitFor()
      await page.getByText(t('consoleAlerts.askRole', { roles: 'Owner or Manager' })).waitFor()
      expect(await page.getByRole('link', { name: t('consoleAlerts.go.system') }).count()).toBe(0)

      const button = (key: AlertButton) =>
        item.getByRole('button', { name: t(`consoleAlerts.${key}`), exact: true })
      const confirm = (key: AlertButton) =>
        page
          .getByRole('dialog')
          .getByRole('button', { name: t(`consoleAlerts.${key}`), exact: true })
          .click()
      await button('take').click()
      // Somebody else was faster.
      const { rows } = await shop.pool.query(`SELECT id FROM alerts WHERE subject = $1`, [ours.id])
      await first.post(`/api/staff/alerts/${rows[0].id}/take/`, { note: 'I call PayPal.' })
      await confirm('take')
      const refusal = t('consoleAlerts.refusals.takenMeanwhile', { name: first.name })
      await page.getByRole('dialog').getByText(refusal).waitFor()
      await seeAccessible(page)
      await page.keyboard.press('Escape')
      await item.getByText('I call PayPal.').waitFor()
      await button('takeOver').click()
      await confirm('takeOver')
      await button('release').click()
      await button('take').waitFor()

      await button('close').click()
      await page.getByLabel(t('consoleAlerts.closeNote')).fill('Refunded at PayPal.')
      await confirm('close')
      await expect.poll(() => item.getByRole('button').count()).toBe(0)
      await item.getByText('Refunded at PayPal.').waitFor()
      await seeAccessible(page)
      expect(faults.filter((fault) => !fault.includes('status of 409'))).toEqual([])
    },
  )

  test.runIf(isExtended)(
    'moves with the keyboard alone: the palette reaches every screen, ? lists the keys',
    async () => {
      const t = words('en')
      const { page } = await open('/')
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: t('console.keys.title') }).waitFor()
      await seeAccessible(page)
      await page.keyboard.press('Escape')
      await typeIntoPalette(page, t, 'aud')
      await page.getByRole('option', { name: t('console.nav.audit'), exact: true }).waitFor()
      await seeAccessible(page)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: t('console.audit.title') }).waitFor()
    },
  )

  test.runIf(isExtended)(
    'acts by the palette, whose first letters are not lost, and finds the keys without a keyboard',
    async () => {
      const t = words('en')
      const { page } = await open('/')
      await page.waitForFunction(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('command-palette')),
      )
      await page.waitForLoadState('networkidle')
      const typed = page.getByRole('combobox', { name: t('console.frame.palette') })
      const act = async (letters: string, name: string): Promise<void> => {
        await page.keyboard.press('Control+k')
        await page.keyboard.type(letters)
        await page.getByRole('option', { name, exact: true }).waitFor()
        expect(await typed.inputValue()).toBe(letters)
        await page.keyboard.press('Enter')
      }
      await act('give a', t('console.keys.actions.giveRole'))
      await page.getByRole('heading', { level: 1, name: t('console.people.title') }).waitFor()
      const giving = page.getByRole('dialog', { name: t('console.people.give') })
      await giving.waitFor()
      await page.keyboard.press('Escape')
      await giving.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: t('console.keys.title') }).click()
      const keys = page.getByRole('dialog', { name: t('console.keys.title') })
      await keys.waitFor()
      await page.keyboard.press('Escape')
      await keys.waitFor({ state: 'detached' })
      await act('shortcuts', t('console.keys.title'))
      await keys.waitFor()
      await page.keyboard.press('Escape')
      await act('log out', t('console.frame.signOut'))
      await page.getByRole('heading', { name: t('console.signIn.title') }).waitFor()
    },
  )

  test.runIf(isExtended)(
    'sees only what the role opens, and leaves at once when the role is taken away',
    async () => {
      const t = words('en')
      const { page, staff } = await open('/', { role: 'witness' })
      const menu = page.getByRole('navigation', { name: t('console.frame.menu') })
      // Today is the shop's: a witness begins at the draws.
      expect(await menu.getByRole('link').allTextContents()).toEqual([t('console.nav.draws')])
      // The second loads nothing that the server could refuse.
      for (const path of ['/staff', '/offers', '/offers/new', '/audit']) {
        await page.goto(`/admin${path}`)
        await page.getByText(t('console.common.notPermitted')).waitFor()
        expect(await page.locator('main form').count(), path).toBe(0)
      }
      await shop.pool.query('UPDATE users SET role = NULL WHERE id = $1', [staff.id])
      await page.goto('/admin/audit')
      await page.getByRole('heading', { name: t('console.signIn.title') }).waitFor()
    },
  )

  test.runIf(isExtended)(
    'who is alone waits an hour, and then does what nobody else could approve',
    async () => {
      const t = words('en')
      const hired = await shop.newCustomer()
      await shop.pool.query('UPDATE users SET role = NULL')
      const { page, staff } = await open('/staff')
      await page.getByRole('button', { name: t('console.people.give') }).click()
      await page.getByLabel(t('console.people.email')).fill(hired.email)
      await page.getByLabel(t('console.common.reason')).fill('first help')
      await page.getByRole('button', { name: t('console.people.ask') }).click()
      await page.getByText(t('console.people.asked')).waitFor()
      await page.goto('/admin/approvals')
      await page.getByText(/^Possible without a second person from/).waitFor()
      const alone = page.getByRole('button', { name: t('console.approvals.actAlone') })
      expect(await alone.count()).toBe(0)
      await shop.pool.query('UPDATE approvals SET alone_from = now()')
      await page.reload()
      await alone.click()
      await page.getByText(t('console.approvals.state.alone', { name: staff.name })).waitFor()
      const { rows } = await shop.pool.query('SELECT role FROM users WHERE id = $1', [hired.id])
      expect(rows).toEqual([{ role: 'support' }])
    },
  )

  test.runIf(isExtended)('reads of every kind of approval what it asks for', async ({ annotate }) => {
    const t = words('nl')
    const asking = await shop.newStaff('owner')
    const offerId = await shop.newOffer({ slug: 'to-cancel' })
    const titles = { title: 'Une voiture bleue', title_nl: 'Een blauwe wagen', title_en: '' }
    const title = titles.title_nl
    const what = 'console.approvals.what'
    const reason = t('consoleDraws.reasons.under-age')
    const change = { field: 'title', language: 'nl', before: 'Een rode wagen', after: title }
    const eur = (amount: string): string => formatEur(amount, 'nl')
    /** What the server stores of each, and what is read. */
    const KINDS: Record<ApprovalPermission, [stored: object, read: string]> = {
      'staff.change': [
        { name: 'Ada', from: null, to: 'support' },
        t(`${what}.staff`, { name: 'Ada', role: t('console.roles.support') }),
      ],
      'orders.refund': [
        { number: 'K7QM-2F9P', amount: '120.50' },
        t(`${what}.refund`, { amount: eur('120.50'), number: 'K7QM-2F9P' }),
      ],
      'offers.cancel': [{ ...titles, slug: 'to-cancel' }, t(`${what}.cancel`, { title })],
      'offers.describe': [{ ...titles, texts: [change], pictures: null }, t(`${what}.describe`, { title })],
      'draws.award': [
        { ...titles, number: '0042', delivered_on: '2026-10-02', leaf_hash: 'ab'.repeat(32) },
        t(`${what}.award`, { title, number: '0042', day: formatDay('2026-10-02') }),
      ],
      'draws.decide': [
        { ...titles, number: '0042', reason: 'under-age', statement: 'Published as it is' },
        t(`${what}.forfeit`, { title, number: '0042', reason }),
      ],
      'draws.void': [
        { ...titles, numbers: '1, 2', count: 2, reason: 'under-age', refund: null },
        t(`${what}.void`, { title, numbers: '1, 2', count: 2, reason, refund: eur('0') }),
      ],
      'post.void': [
        { ...titles, number: 'P-12', ticket_number: '0007', ground: 'duplicate' },
        t(`${what}.voidCard`, {
          entry: 'P-12',
          number: '0007',
          title,
          ground: t('console.approvals.grounds.duplicate'),
        }),
      ],
    }

    await annotate('One person asks for an approval of every kind')
    for (const [permission, [preview]] of [...Object.entries(KINDS), ['self.use', [{}]] as const])
      await shop.pool.query(
        `INSERT INTO approvals (permission, subject_kind, subject, input, preview, reason, requested_by)
         VALUES ($1, 'offer', $2, '{}', $3, $1, $4)`,
        [permission, offerId, preview, asking.id],
      )

    await annotate('A second person reads what each asks for')
    const { page } = await open('/approvals', { language: 'nl', width: 360 })
    for (const [permission, [, says]] of Object.entries(KINDS)) {
      const one = page.locator('main li', { hasText: permission })
      await one.getByRole('heading', { name: says, exact: true }).waitFor()
    }
    // A kind without a view of its own: of a release that is newer than this one.
    const other = { permission: t('console.codes.permissions.self_use'), subject: String(offerId) }
    await page.getByRole('heading', { name: t(`${what}.other`, other), exact: true }).waitFor()

    await annotate('A second person reads the details of some')
    const item = (permission: ApprovalPermission) => page.locator('main li', { hasText: permission })
    await item('draws.decide').getByText('Published as it is').waitFor()
    await item('offers.describe').getByText('Een rode wagen').waitFor()
    // A contest that sells on has no stored effect: the server is asked.
    await item('offers.cancel').getByText(t('consoleContests.cancel.tickets')).waitFor()
    await item('offers.cancel')
      .getByRole('button', { name: t('console.approvals.approve'), disabled: false })
      .waitFor()
    await seeAccessible(page)
  })

  test.runIf(isExtended)(
    'excludes a payer, who is told what is wrong with an id, and lifts the exclusion',
    async () => {
      const t = words('en')
      const { page, faults } = await open('/staff')
      await page.getByRole('link', { name: t('console.people.exclusions') }).click()
      await page.getByRole('heading', { level: 1, name: t('consoleStaff.exclusions.title') }).waitFor()
      await page.getByText(t('consoleStaff.exclusions.empty')).waitFor()
      await page.getByRole('button', { name: t('consoleStaff.exclusions.add') }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(t('consoleStaff.exclusions.kind')).selectOption('payer_id')
      await dialog.getByLabel(t('consoleStaff.exclusions.value')).fill('short')
      await dialog.getByLabel(t('consoleStaff.exclusions.reason')).selectOption('self')
      await dialog.getByRole('button', { name: t('consoleStaff.exclusions.add') }).click()
      await dialog.getByText(t('consoleStaff.exclusions.faults.payerId')).waitFor()
      await seeAccessible(page)
      await dialog.getByLabel(t('consoleStaff.exclusions.value')).fill('QYR5Z8XDVJNXQ')
      await dialog.getByRole('button', { name: t('consoleStaff.exclusions.add') }).click()
      const kind = t('consoleStaff.exclusions.kinds.payer_id')
      await page.getByRole('cell', { name: `QYR5Z8XDVJNXQ ${kind}` }).waitFor()
      await seeAccessible(page)
      await page
        .getByRole('button', { name: t('consoleStaff.exclusions.removeLabel', { value: 'QYR5Z8XDVJNXQ' }) })
        .click()
      await dialog.getByRole('button', { name: t('consoleStaff.exclusions.remove') }).click()
      await page.getByText(t('consoleStaff.exclusions.empty')).waitFor()
      expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([])
    },
  )

  test.runIf(isExtended)(
    'keeps the record of a link when the audit log is asked for a person or a day',
    async () => {
      const t = words('en')
      const { page, staff } = await open('/audit?subject_kind=staff&subject=987654')
      await page.getByLabel(t('console.audit.who'), { exact: true }).selectOption({ label: staff.name })
      await page.getByLabel(t('console.audit.from'), { exact: true }).fill('2020-01-01')
      await page.getByRole('button', { name: t('console.common.applyFilters') }).click()
      await page.waitForURL(/actor=/)
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
        actor: String(staff.id),
        subject_kind: 'staff',
        subject: '987654',
        from: '2020-01-01',
      })
      await page.getByText(t('console.audit.empty')).waitFor()
    },
  )

  test.runIf(isExtended)(
    'filters the audit log by every action and subject that it may name, in words',
    async () => {
      const t = words('nl')
      const { page } = await open('/audit', { language: 'nl' })
      for (const [label, codes] of [
        [t('console.audit.what'), dutch.codes.actions],
        [t('console.audit.filterSubject'), dutch.codes.subjects],
      ] as const) {
        const choices = page.getByLabel(label, { exact: true }).locator('option')
        const shown = await choices.allTextContents()
        expect(shown.toSorted()).toEqual([t('console.audit.all'), ...Object.values(codes)].toSorted())
      }
      const chosen = page.getByLabel(t('console.audit.what'), { exact: true })
      await chosen.selectOption({ label: t('console.codes.actions.staff_endSessions') })
      expect(await chosen.inputValue()).toBe('staff.endSessions')
    },
  )
})
