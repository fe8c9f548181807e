import { paths } from '#client/paths.ts'
import {
  type Stage,
  type State,
  responding,
  arriving,
  cutting,
  go,
  hanging,
  press,
  printed,
  see,
  seen,
  state,
} from '../state.ts'

const ANY_OFFER = '**/api/offers/*/'
const ADD = '**/add_item/'
const LINE = '**/waiting-room/'
const IN_LINE = { code: 'offer.waitingRoom', place: { number: 4_310, position: 4_210, seconds: 170 } }
const REFUSED_ANSWER = { detail: 'Mauvaise réponse.', code: 'cart.wrongAnswer' }

const DRAWN = {
  state: 'awarded',
  draw_at: '2026-06-01T18:00:00.000Z',
  attempts: [
    {
      attempt: 0,
      round_at: '2026-06-01T18:00:00.000Z',
      drawn: { number: 147, winner: { first_name: 'Amélie', place: 'Namur' } },
    },
  ],
}

const offer = (name: string, open: State['open'], more: Partial<State> = {}): State =>
  state(`offer/${name}`, open, { who: 'newcomer', ...more })

async function onContest(stage: Stage, slug: string): Promise<void> {
  await stage.page.goto(paths.offer(slug))
  await stage.page.locator('main h1').waitFor()
  await stage.page.waitForLoadState('networkidle')
}

async function responded(stage: Stage, choice: 'right' | 'wrong'): Promise<void> {
  const { question } = stage.contests
  await onContest(stage, question.slug)
  await stage.page.locator('#offer-question').selectOption(question[choice])
}

async function addAnswered(stage: Stage): Promise<void> {
  await responded(stage, 'right')
  await press(stage.page, stage.t('offers.buy.add'), false)
}

const plainPath = ({ contests }: Stage): string => paths.offer(contests.plain)
const loading = ({ page, t }: Stage) => page.getByText(t('offers.detail.loading'))
const onPlain = (stage: Stage): Promise<void> => onContest(stage, stage.contests.plain)

async function add(stage: Stage): Promise<void> {
  await onPlain(stage)
  await press(stage.page, stage.t('offers.buy.add'), false)
}

async function opened(stage: Stage): Promise<void> {
  await onContest(stage, stage.contests.question.slug)
  const enlarge = new RegExp(stage.t('offers.gallery.enlarge', { index: '\\d+', count: '\\d+' }))
  await stage.page.getByRole('button', { name: enlarge }).first().click()
  await stage.page.getByRole('button', { name: stage.t('offers.gallery.zoomIn') }).waitFor()
}

export const OFFER_STATES: readonly State[] = [
  offer('question-open', (stage) => onContest(stage, stage.contests.question.slug)),
  offer('question-wrong', (stage) => responded(stage, 'wrong')),
  offer('question-right', (stage) => responded(stage, 'right')),
  offer('no-question', onPlain),
  offer('no-question-window', onPlain, { window: true }),
  offer('sold-out', (stage) => onContest(stage, stage.contests.soldOut)),
  offer('ended', async (stage) => onContest(stage, await stage.contests.ended())),
  offer(
    'outcome',
    responding('**/api/draws/*/', 200, DRAWN, async (stage) =>
      onContest(stage, await stage.contests.ended()),
    ),
  ),
  offer('question-first-screen', (stage) => onContest(stage, stage.contests.question.slug), { window: true }),
  offer(
    'reminders',
    async (stage) => {
      await onContest(stage, stage.contests.question.slug)
      await press(stage.page, stage.t('favourites.remind.action'))
      await see(stage.page, stage.t('favourites.remind.draw'))
    },
    { window: true },
  ),
  state('contest/open', (stage) => go(stage, paths.draw(stage.contests.question.slug))),
  state('contest/open-first-screen', (stage) => go(stage, paths.draw(stage.contests.question.slug)), {
    window: true,
  }),
  state('contest/open-signed-in', (stage) => go(stage, paths.draw(stage.contests.plain)), {
    who: 'newcomer',
  }),
  offer('see-cart', onPlain, { who: 'buyer', window: true }),
  offer(
    'not-found',
    seen((stage) => go(stage, paths.offer('no-such-car')), 'errors.offer.notFound'),
  ),
  offer('loading', hanging(ANY_OFFER, arriving(plainPath, loading))),
  offer(
    'error',
    seen(
      cutting(ANY_OFFER, (stage) => go(stage, plainPath(stage))),
      'offers.detail.errorTitle',
    ),
  ),
  offer('refused-answer', seen(responding(ADD, 400, REFUSED_ANSWER, addAnswered), 'offers.buy.wrongAnswer')),
  offer(
    'added',
    async (stage) => {
      // The cart as it is: a real line would be in the next picture, too.
      await stage.page.route(ADD, async (route) => {
        const carts = (await route.fetch({ url: `${stage.shop.publicUrl}/api/cart/`, method: 'GET' })).json()
        await route.fulfill({ json: ((await carts) as unknown[])[0] })
      })
      await add(stage)
      await see(stage.page, stage.t('offers.buy.added'))
    },
    { fleeting: true, window: true },
  ),
  offer('add-error', seen(responding(ADD, 500, {}, add), 'offers.buy.addError'), {
    fleeting: true,
    window: true,
  }),
  offer('adding', seen(hanging(ADD, add), 'offers.buy.adding')),
  offer('in-line', seen(hanging(LINE, responding(ADD, 429, IN_LINE, add)), 'waitingRoom.title')),
  offer(
    'printed',
    async (stage) => {
      await responded(stage, 'right')
      await printed(stage.page)
    },
    { widths: [768] },
  ),
  offer('several', async (stage) => {
    await responded(stage, 'right')
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
