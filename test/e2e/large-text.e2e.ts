import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { settled, sidewaysScroll } from '../support/browser.ts'
import { consoleOf } from '../support/console.ts'
import { DRAW_STAGES, type DrawStage, insertDraw } from '../support/draws.ts'
import { keepTokens } from '../support/page-control.ts'
import { seenRoutes } from '../support/routes.ts'
import { fillShowroom } from '../support/showroom.ts'
import { openStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'

const stage = await openStage({ host: 'localhost' })
const { shop, visit } = stage
const open = consoleOf(stage)

beforeAll(() => fillShowroom(shop))

/** What the shop's own page of a contest tells apart. */
const IN_THE_SHOP: readonly DrawStage[] = ['open', 'closed', 'cancelled']
/** The short form leaves pages without titles to `every-page.e2e.ts`, which has no page scroll sideways at twice the size. */
const isLooked = (path: string): boolean =>
  path !== '/logout' && (isExtended || /^\/(?:offers.*|draws|cart|login|nowhere.*)?$/.test(path))
/** One word that no phone has room for, and a title of many words. */
const TITLE = `${'Donaudampfschifffahrt'.repeat(3)} et une voiture dont le nom est plus long que tout ce que l’on a lu`

/** Widths and heights of phones. */
const PHONES = sized<readonly (readonly [width: number, height: number])[]>({
  short: [
    [320, 640],
    [390, 844],
  ],
  extended: [
    [320, 640],
    [360, 640],
    [390, 844],
  ],
})
/** Each with the size of letters, as the browser's own setting. */
const LOOKS = PHONES.flatMap(([width, height]) => ['100%', '200%'].map((size) => ({ width, height, size })))

/** The height of everything that stays in sight while the page is scrolled. */
const heightOfBars = (page: Page): Promise<number> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((one) => {
        const { width, height, top, bottom } = one.getBoundingClientRect()
        return (
          /^(?:fixed|sticky)$/.test(getComputedStyle(one).position) &&
          one.checkVisibility() &&
          one.closest('[data-sonner-toaster], dialog') === null &&
          width > window.innerWidth / 2 &&
          height > 0 &&
          bottom > 0 &&
          top < window.innerHeight
        )
      })
      .reduce((sum, one) => sum + one.offsetHeight, 0),
  )

/** The element that reaches farthest to the right, for the message. */
const widest = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const reach = (one: Element): number => one.getBoundingClientRect().right
    const [first] = [...document.querySelectorAll('main *, header *')].toSorted((a, b) => reach(b) - reach(a))
    return `${first?.localName}.${first?.className}: ${first?.textContent.slice(0, 40)}`
  })

/** Everything about the page that does not fit, in every look. */
async function misfits(page: Page, path: string): Promise<string[]> {
  const found: string[] = []
  for (const { width, height, size } of LOOKS) {
    await page.setViewportSize({ width, height })
    await page.evaluate(async (given) => {
      document.documentElement.style.fontSize = given
      // The bars find their place, and their place changes the page.
      for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame)
    }, size)
    const sideways = await sidewaysScroll(page)
    if (sideways > 0)
      found.push(`${path}, ${width} px, ${size}: scrolls sideways by ${sideways}, ${await widest(page)}`)
    const bars = await heightOfBars(page)
    if (bars > height / 3 + 1) found.push(`${path}, ${width} px, ${size}: bars take ${bars} of ${height}`)
  }
  return found
}

test.each(sized<readonly Language[]>({ short: ['fr'], extended: LANGUAGES }))(
  'on a phone, also with letters twice their size, no page scrolls sideways and bars leave two thirds of it: %s',
  async (language) => {
    const titles = { title: TITLE, title_nl: TITLE, title_en: TITLE }
    const offerId = await shop.newOffer(titles)
    const { customer } = await shop.paidOrder(2, 'buyer@buyer.test', offerId)
    await customer.add(offerId, 1)
    const states: string[] = []
    for (const one of DRAW_STAGES) {
      const slug = `wide-${one}-${language}`
      await insertDraw(shop, { slug, stage: one, owner: customer, offer: titles })
      states.push(`/draws/${slug}`)
      if (isExtended || IN_THE_SHOP.includes(one)) states.push(`/offers/${slug}`)
      if (isExtended || one === 'drawn') states.push(`/draws/${slug}/live`)
    }
    const { page } = await visit(undefined, { width: 390, language })
    const found: string[] = []
    const look = async (paths: readonly string[]): Promise<void> => {
      for (const path of paths) {
        await page.goto(path)
        await settled(page)
        found.push(...(await misfits(page, path)))
      }
    }
    await look([...seenRoutes.map(({ path }) => path).filter(isLooked), ...states])
    await page.goto('/api/health/live')
    await keepTokens(page, { ...(await shop.sessionOf(customer)), billing_country: 'BE' })
    await look(seenRoutes.filter(({ kind }) => kind === 'guarded').map(({ path }) => path))
    expect(found).toEqual([])
  },
)

test.each(sized<readonly Language[]>({ short: ['en'], extended: LANGUAGES }))(
  'in the console, bars leave two thirds of a phone, also with letters twice their size: %s',
  async (language) => {
    const offerId = await shop.newOffer({ title: TITLE, title_nl: TITLE, title_en: TITLE })
    const { page } = await open('/', { language })
    const found: string[] = []
    for (const path of sized({
      short: ['/orders', `/offers/${offerId}`],
      extended: ['/', '/orders', `/offers/${offerId}`, '/offers/new'],
    })) {
      await page.goto(`/admin${path}`)
      await settled(page)
      found.push(...(await misfits(page, path)))
    }
    expect(found).toEqual([])
  },
)
