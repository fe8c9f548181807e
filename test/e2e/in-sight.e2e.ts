import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { ALL_SCREENS } from '#apps/console/navigation.ts'
import { settled } from '../support/browser.ts'
import { consoleOf, seeScreen } from '../support/console.ts'
import {
  addButton,
  respondWith,
  arrive,
  field,
  fill,
  press,
  register,
  seeTitle,
} from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const stage = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const { shop, visit, member } = stage
const open = consoleOf(stage)
const t = words('en')

const PHONE = { width: 360, height: 640 }
const STRONG = 'Correct1! horse'

/** What has the focus, and whether somebody sees it: in the window, under nothing else. */
const looked = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const one = document.activeElement
    if (!one || one === document.body) return 'nothing has the focus'
    const isField = one.matches('[aria-invalid=true]')
    const kind = isField
      ? 'failure'
      : one.matches('[data-news=error], [role=alert]')
        ? 'failure'
        : one.matches('[data-news=success]')
          ? 'success'
          : one.matches('h1')
            ? 'heading'
            : `${one.localName} ${one.textContent.slice(0, 60)}`
    const described = (one.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
    if (isField && described.join('') === '') return 'a field without a word about its fault'
    const { left, top, bottom, width } = one.getBoundingClientRect()
    if (top < 0 || top > window.innerHeight - 8) return `${kind} out of sight, at ${top}`
    for (const y of [top + 4, Math.min(bottom, window.innerHeight) - 4]) {
      const hit = document.elementFromPoint(left + width / 2, y)
      if (!(hit && (one.contains(hit) || hit.contains(one))))
        return `${kind} under ${hit?.localName} ${hit?.className}`
    }
    return `${kind} in sight`
  })

/** Acts from the far end of the page, with the focus nowhere. */
const goFar = (page: Page): Promise<void> =>
  page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    window.scrollTo(0, document.body.scrollHeight)
  })

/** Sends what is there, twice: the second failure is the same as the first. */
async function failTwice(page: Page, name: string, what: string): Promise<void> {
  for (const time of ['first', 'second']) {
    await goFar(page)
    await press(page, name)
    await expect.poll(() => looked(page), { message: `${what}, ${time} time` }).toBe('failure in sight')
  }
}

const refuse = (page: Page, path: string): Promise<void> =>
  respondWith(page, path, { status: 400, body: { detail: 'This cannot be done.' } })

describe('on a phone, a failure is focused and in sight, also the second time', () => {
  test('in the forms for everybody', async () => {
    const { page } = await visit(undefined, { width: PHONE.width })
    await page.setViewportSize(PHONE)
    const forms = [
      ['/login', 'accounts.login.submit'],
      ['/register', 'accounts.register.submit'],
      ['/forgot-password', 'accounts.forgot.submit'],
      ['/contact', 'contact.submit'],
    ] as const
    for (const [path, submit] of forms) {
      await page.goto(path)
      await settled(page)
      await failTwice(page, t(submit), `${path}, empty`)
    }
    await refuse(page, '/api/*/*/')
    await refuse(page, '/api/*/')
    await refuse(page, '/api/*/*/*/')
    const account = { email: 'far@example.test', password: STRONG }
    await page.goto('/register')
    await settled(page)
    await register(page, t, { username: 'far', ...account })
    await failTwice(page, t('accounts.register.submit'), '/register, refused')
    await page.goto('/login')
    await settled(page)
    await fill(page, { [t('accounts.email')]: account.email, [t('accounts.password')]: STRONG })
    await failTwice(page, t('accounts.login.submit'), '/login, refused')
    await page.goto('/forgot-password')
    await settled(page)
    await field(page, t('accounts.email')).fill(account.email)
    await failTwice(page, t('accounts.forgot.submit'), '/forgot-password, refused')
  })

  test('but not taken from somebody who fills in another field meanwhile, without a key', async () => {
    const { page } = await visit('/login', { width: PHONE.width })
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/api/*/*/', async (route) => {
      await held
      await route.fulfill({ status: 400, json: { detail: 'This cannot be done.' } })
    })
    await fill(page, { [t('accounts.email')]: 'far@example.test', [t('accounts.password')]: STRONG })
    await press(page, t('accounts.login.submit'))
    // As a password manager or dictation does.
    const password = field(page, t('accounts.password'))
    await password.fill(`${STRONG}2`)
    release()
    await page.locator('[data-news=error]').waitFor()
    await settled(page)
    expect(await password.evaluate((one) => one === document.activeElement)).toBe(true)
  })

  test('in the forms of an account', async () => {
    const { page } = await member('/profile/data', { width: PHONE.width })
    await page.setViewportSize(PHONE)
    await failTwice(page, t('accounts.profile.changePassword'), 'the password, empty')
    await refuse(page, '/api/user/*/')
    await refuse(page, '/api/user/*/*/')
    await fill(page, {
      [t('accounts.profile.currentPassword')]: STRONG,
      [t('accounts.profile.newPassword')]: `${STRONG}?`,
      [t('accounts.confirm')]: `${STRONG}?`,
    })
    await failTwice(page, t('accounts.profile.changePassword'), 'the password, refused')
    await press(page, t('accounts.profile.edit'))
    await page.getByRole('textbox', { name: t('accounts.phone') }).fill('12')
    await failTwice(page, t('accounts.profile.save'), 'the phone, wrong')
  })

  test('in the forms of the console', async () => {
    const { page } = await open('/', { width: PHONE.width })
    await page.setViewportSize(PHONE)
    await page.route(/\/api\/staff\//, (route) =>
      route.request().method() === 'GET'
        ? route.fallback()
        : route.fulfill({ status: 400, json: { detail: 'This cannot be done.', code: 'refused' } }),
    )
    const found: string[] = []
    let failures = 0
    /** Whatever fails is seen. */
    const look = async (what: string): Promise<void> => {
      await settled(page)
      const fails = await page
        .locator('dialog:modal, main')
        .locator('[aria-invalid=true], [data-news=error]')
        .filter({ visible: true })
        .count()
      if (fails === 0) return
      failures += 1
      try {
        await expect.poll(() => looked(page), { timeout: 3_000 }).toBe('failure in sight')
      } catch {
        found.push(`${what}: ${await looked(page)}`)
      }
    }
    const screens = ALL_SCREENS.map(({ to }) => to)
    const some = ['/offers/new', '/staff', '/staff/exclusions', '/account', '/system', '/post', '/approvals']
    for (const path of isExtended ? screens : screens.filter((one) => some.includes(one))) {
      const start = async (): Promise<void> => {
        await page.goto(`/admin${path}`)
        await seeScreen(page)
        await settled(page)
      }
      await start()
      const buttons = page.locator('main button:not([role=tab]):enabled').filter({ visible: true })
      const names = await buttons.allTextContents()
      for (const [index, name] of names.slice(0, isExtended ? 30 : 5).entries()) {
        const button = buttons.nth(index)
        if (name === '' || (await button.textContent().catch(() => null)) !== name) continue
        await goFar(page)
        await button.click()
        const dialog = page.locator('dialog:modal')
        await settled(page)
        if ((await dialog.count()) === 0) await look(`${path}, ${name}`)
        else {
          const send = dialog.locator('button[type=submit]:enabled').first()
          if ((await send.count()) > 0)
            for (const time of ['first', 'second']) {
              await send.click()
              await look(`${path}, ${name}, ${time} time`)
            }
        }
        await start()
      }
    }
    expect(found).toEqual([])
    expect(failures).toBeGreaterThan(3)
  })
})

describe('the focus goes to what happened', () => {
  test.each(sized({ short: [360], extended: [360, 1440] }))(
    'after adding, removing and emptying, and on the pages after that: %i px',
    async (width) => {
      const slug = `sight-${width}`
      await shop.newOffer({ slug, title: slug })
      const others = [await shop.newOffer(), await shop.newOffer(), await shop.newOffer()]
      const { page, customer } = await member(`/offers/${slug}`, { width })
      if (width < 768) await page.setViewportSize(PHONE)
      await respondWith(page, '/api/cart/*/add_item/', { status: 400, body: { detail: 'Not now.' } }, 1)
      await addButton(page, t).first().click()
      await expect.poll(() => looked(page)).toBe('failure in sight')
      for (const time of ['first', 'second']) {
        await goFar(page)
        await addButton(page, t).first().click()
        await expect.poll(() => looked(page), { message: time }).toBe('success in sight')
      }
      for (const one of others) await customer.add(one, 1)
      // The cart is another document.
      await page.locator('a[href="/cart"]').filter({ visible: true }).first().click()
      await arrive(page, '/cart')
      await seeTitle(page, t('cart.title'))
      await expect.poll(() => looked(page)).toBe('heading in sight')
      const removing = page.getByRole('button', {
        name: t('cart.line.removeOf', { title: '§' }).split('§')[0]!,
      })
      const lines = await removing.count()
      await removing.first().click()
      await expect.poll(() => removing.count()).toBe(lines - 1)
      await expect.poll(() => looked(page)).toContain(t('cart.items'))
      await press(page, t('cart.clear'))
      await press(page, t('cart.clearConfirm'))
      await seeTitle(page, t('cart.empty.title'))
      await expect.poll(() => looked(page)).toBe('heading in sight')
      await page.goto('/profile/participations?success=true')
      await seeTitle(page, t('tickets.title'))
      await expect.poll(() => looked(page)).toBe('heading in sight')
    },
  )
})
