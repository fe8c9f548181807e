import { paths } from '#client/paths.ts'
import { type Stage, type State, answer, cut, go, hang, press, printed, see } from '../state.ts'

const ANY_OFFER = '**/api/offers/*/'
const ADD = '**/add_item/'

/** The page of a contest, seen by somebody signed in. */
const offer = (name: string, open: State['open'], more: Partial<State> = {}): State => ({
  name: `offer/${name}`,
  who: 'newcomer',
  open,
  ...more,
})

async function onContest(stage: Stage, slug: string): Promise<void> {
  await stage.page.goto(paths.offer(slug))
  await stage.page.locator('main h1').waitFor()
  await stage.page.waitForLoadState('networkidle')
}

async function answered(stage: Stage, choice: 'right' | 'wrong'): Promise<void> {
  const { question } = stage.contests
  await onContest(stage, question.slug)
  await stage.page.locator('main select').first().selectOption(question[choice])
}

async function opened(stage: Stage): Promise<void> {
  await onContest(stage, stage.contests.question.slug)
  const enlarge = new RegExp(stage.t('offers.gallery.enlarge', { index: '\\d+', count: '\\d+' }))
  await stage.page.getByRole('button', { name: enlarge }).first().click()
  await stage.page.getByRole('button', { name: stage.t('offers.gallery.zoomIn') }).waitFor()
}

/** The page of one contest. */
export const OFFER_STATES: readonly State[] = [
  offer('question-open', (stage) => onContest(stage, stage.contests.question.slug)),
  offer('question-wrong', (stage) => answered(stage, 'wrong')),
  offer('question-right', (stage) => answered(stage, 'right')),
  offer('no-question', (stage) => onContest(stage, stage.contests.plain)),
  offer('no-question-window', (stage) => onContest(stage, stage.contests.plain), { window: true }),
  offer('sold-out', (stage) => onContest(stage, stage.contests.soldOut)),
  offer('ended', (stage) => onContest(stage, stage.contests.ended)),
  offer('see-cart', (stage) => onContest(stage, stage.contests.plain), { who: 'buyer', window: true }),
  offer('not-found', async (stage) => {
    await go(stage, paths.offer('no-such-car'))
    await see(stage.page, stage.t('errors.offer.notFound'))
  }),
  offer('loading', async (stage) => {
    await hang(stage.page, ANY_OFFER)
    await stage.page.goto(paths.offer(stage.contests.plain))
    await stage.page.getByText(stage.t('offers.detail.loading')).first().waitFor({ state: 'attached' })
  }),
  offer('error', async (stage) => {
    await cut(stage.page, ANY_OFFER)
    await go(stage, paths.offer(stage.contests.plain))
    await see(stage.page, stage.t('offers.detail.errorTitle'))
  }),
  offer('refused-answer', async (stage) => {
    await answer(stage.page, ADD, 400, { detail: 'Mauvaise réponse.', code: 'cart.wrongAnswer' })
    await answered(stage, 'right')
    await press(stage.page, stage.t('offers.buy.add'), false)
    await see(stage.page, stage.t('offers.buy.wrongAnswer'))
  }),
  offer(
    'added',
    async (stage) => {
      // The cart as it is: a real line would be in the next picture, too.
      await stage.page.route(ADD, async (route) => {
        const carts = (await route.fetch({ url: `${stage.shop.publicUrl}/api/cart/`, method: 'GET' })).json()
        await route.fulfill({ json: ((await carts) as unknown[])[0] })
      })
      await onContest(stage, stage.contests.plain)
      await press(stage.page, stage.t('offers.buy.add'), false)
      await see(stage.page, stage.t('offers.buy.added'))
    },
    { fleeting: true, window: true },
  ),
  offer(
    'add-error',
    async (stage) => {
      await answer(stage.page, ADD, 500, {})
      await onContest(stage, stage.contests.plain)
      await press(stage.page, stage.t('offers.buy.add'), false)
      await see(stage.page, stage.t('offers.buy.addError'))
    },
    { fleeting: true, window: true },
  ),
  offer('adding', async (stage) => {
    await hang(stage.page, ADD)
    await onContest(stage, stage.contests.plain)
    await press(stage.page, stage.t('offers.buy.add'), false)
    await see(stage.page, stage.t('offers.buy.adding'))
  }),
  offer(
    'printed',
    async (stage) => {
      await answered(stage, 'right')
      await printed(stage.page)
    },
    { widths: [768] },
  ),
  offer('several', async (stage) => {
    await answered(stage, 'right')
    for (let more = 0; more < 4; more += 1) await press(stage.page, stage.t('offers.buy.more'))
  }),
  offer('viewer', opened, { window: true }),
  offer(
    'viewer-zoomed',
    async (stage) => {
      await opened(stage)
      for (let step = 0; step < 2; step += 1) {
        await stage.page.getByRole('button', { name: stage.t('offers.gallery.zoomIn') }).click()
        await stage.page.waitForTimeout(300)
      }
    },
    { window: true, fleeting: true },
  ),
]
