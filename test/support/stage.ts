import type { Browser } from 'playwright-core'
import { afterAll, onTestFinished } from 'vitest'
import { type Visitor, type VisitorOptions, awake, newVisitor, printPage, sharedBrowser } from './browser.ts'
import { keepTokens } from './page-control.ts'
import { type Customer, type ShopOptions, type TestShop, testShop } from './shop.ts'

type VisitOptions = Partial<Omit<VisitorOptions, 'baseUrl'>>
interface MemberOptions extends VisitOptions {
  /** Who signs in; a new customer when left out. */
  customer?: Customer
  /** Further values of the local storage. */
  stored?: Record<string, string>
}

export type Stage = ReturnType<typeof stageOf>

/** A shop with its pages for the tests of one file, closed after the last of them, and the worker's browser to visit it. */
export async function openStage(options: Omit<ShopOptions, 'pages'> = {}): Promise<Stage> {
  const shop = await testShop({ ...options, pages: true })
  afterAll(() => shop.close())
  return stageOf(shop, await sharedBrowser())
}

let common: Promise<TestShop> | undefined

/**
 * The shop of this worker, which ends with it: for files that need no settings of their own and do not depend on what
 * others create, such as the list of all contests.
 */
export const sharedStage = async (): Promise<Stage> =>
  stageOf(await (common ??= testShop({ pages: true })), await sharedBrowser())

/** @param browser the worker's, or one of the caller's own */
export function stageOf(shop: TestShop, browser: Browser) {
  /**
   * A visitor, by default in English in a wide window, until the test ends; at a path once the page responds to clicks.
   */
  const visit = async (path?: string, options: VisitOptions = {}): Promise<Visitor> => {
    const defaults = { baseUrl: shop.config.publicUrl, width: 1440, language: 'en' } as const
    const visitor = await newVisitor(browser, { ...defaults, ...options })
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await printPage(visitor)
      await visitor.close()
    })
    if (path !== undefined) await open(visitor, path)
    return visitor
  }
  /** The same, signed in; without a path the page shows a bare address of the shop. */
  const member = async (
    path?: string,
    options: MemberOptions = {},
  ): Promise<Visitor & { customer: Customer }> => {
    const { customer = await shop.newCustomer(), stored = {}, ...rest } = options
    const visitor = await visit(undefined, rest)
    await visitor.page.goto('/api/health/live')
    await keepTokens(visitor.page, { ...(await shop.sessionOf(customer)), ...stored })
    if (path !== undefined) await open(visitor, path)
    return { ...visitor, customer }
  }
  return { shop, visit, member }
}

async function open({ page }: Visitor, path: string): Promise<void> {
  await page.goto(path)
  await awake(page)
}
