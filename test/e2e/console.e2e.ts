import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import type { Language } from '#shared/languages.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { consoleOf, seeScreen, typeIntoPalette } from '../support/console.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

// Passkeys belong to a host name.
const { shop, visit } = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })

const open = consoleOf({ shop, visit })

const SCREENS = [
  '/',
  '/offers',
  '/offers/new',
  '/account',
  '/staff',
  '/approvals',
  '/audit',
  '/alerts',
  '/draws',
  '/reports',
  '/reports/statements',
  '/nowhere',
]
const LOOKS = sized<readonly (readonly [Language, number])[]>({
  short: [
    ['nl', 360],
    ['fr', 1440],
  ],
  extended: (['fr', 'nl', 'en'] as const).flatMap((language) =>
    ([360, 1440] as const).map((width) => [language, width] as const),
  ),
})

describe('Every screen', () => {
  test.each(LOOKS)(
    'has no error, no accessibility fault and no sideways scroll: %s, %i pixels',
    async (language, width) => {
      const { page, faults } = await open('/', { language, width })
      for (const screen of SCREENS) {
        await page.goto(`/admin${screen}`)
        await seeScreen(page)
        expect(await sidewaysScroll(page), screen).toBe(0)
        await seeAccessible(page, {}, ['dark', 'light'])
      }
      expect(faults).toEqual([])
    },
  )
})

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

  test('makes a passkey, signs in with it alone, and confirms an action with it', async () => {
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
  })

  test('moves with the keyboard alone: the palette reaches every screen, ? lists the keys', async () => {
    const t = words('en')
    const { page } = await open('/')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: t('console.keys.title') }).waitFor()
    await seeAccessible(page)
    await page.keyboard.press('Escape')
    await typeIntoPalette(page, t, 'aud')
    await page.getByRole('option', { name: t('console.nav.audit') }).waitFor()
    await seeAccessible(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: t('console.audit.title') }).waitFor()
  })

  test('sees only what the role opens, and leaves at once when the role is taken away', async () => {
    const t = words('en')
    const { page, staff } = await open('/', { role: 'witness' })
    const menu = page.getByRole('navigation', { name: t('console.frame.menu') })
    expect(await menu.getByRole('link').allTextContents()).toEqual([
      t('console.nav.today'),
      t('console.nav.offers'),
      t('console.nav.draws'),
      t('console.nav.audit'),
    ])
    await page.goto('/admin/staff')
    await page.getByText(t('console.refusals.notPermitted')).waitFor()
    await shop.pool.query('UPDATE users SET role = NULL WHERE id = $1', [staff.id])
    await page.goto('/admin/audit')
    await page.getByRole('heading', { name: t('console.signIn.title') }).waitFor()
  })
})
