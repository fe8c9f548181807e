import { setTimeout } from 'node:timers/promises'
import { paths } from '#client/paths.ts'
import type { DrawPage, ListedDraw } from '#features/draws/public-draws.contract.ts'
import { winnerOf } from '#features/draws/public-draws.rules.ts'
import { type Stage, type State, go, state } from '../state.ts'

const isWon = (draw: ListedDraw): boolean => winnerOf(draw) !== undefined

/** A demonstration draws within five minutes of its first start. */
const PATIENCE_MS = 12 * 60_000

/** The address of the first draw of the demonstration that is asked for, once there is one. */
async function addressOf({ shop }: Stage, fits: (draw: ListedDraw) => boolean): Promise<string> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await setTimeout(1000)) {
    const { items } = await shop.call<DrawPage>('GET', '/api/draws/?limit=50')
    const draw = items.find(fits)
    if (draw) return paths.draw(draw.contest.slug)
  }
  throw new Error('the demonstration has no such draw')
}

const one = (
  name: string,
  fits: (draw: ListedDraw) => boolean,
  behind = '',
  more: Partial<State> = {},
): State => state(`draws/${name}`, async (stage) => go(stage, (await addressOf(stage, fits)) + behind), more)

/** The ticket of a buyer, as its QR code opens it. */
async function scan(stage: Stage): Promise<void> {
  const { page, t } = stage
  await go(stage, paths.participations())
  await page.getByRole('article').locator('summary').first().click()
  const link = page.getByRole('link', { name: t('tickets.proof') }).first()
  await go(stage, (await link.getAttribute('href')) ?? '')
  await page.locator('[data-ticket=found]').waitFor()
}

/** A register that is no longer signed by the key that the browser has seen. */
async function contradict(stage: Stage): Promise<void> {
  const { page } = stage
  await go(stage, await addressOf(stage, isWon))
  await page.locator('[data-watch]').waitFor()
  await page.route('**/draws/checkpoint', async (route) => {
    const response = await route.fetch()
    const text = (await response.text()).replace(/\n\d+\n/, '\n1\n')
    await route.fulfill({ response, body: text })
  })
  await page.reload()
  await page.locator('[data-watch=key]').waitFor()
}

/** The list of draws, their public pages and what a stream shows. */
export const DRAW_STATES: readonly State[] = [
  state('draws/list', (stage) => go(stage, paths.draws())),
  one('coming', ({ state }) => state === 'open'),
  one('drawn', isWon),
  one('drawn-top', isWon, '', { window: true }),
  state('draws/drawn-files', async (stage) => {
    await go(stage, await addressOf(stage, isWon))
    await stage.page.getByText(stage.t('draws.proof.files')).click()
  }),
  state('draws/ticket', scan, { who: 'buyer', window: true }),
  one('ticket-incomplete', isWon, '#1.x', { window: true }),
  state('draws/register-contradicted', contradict, { window: true }),
  state('draws/email-incomplete', (stage) => go(stage, `${paths.verifyDraw()}?contest=x#kept.x`), {
    window: true,
  }),
  one('live-coming', ({ state }) => state === 'open', '/live', { window: true }),
  one('live-drawn', isWon, '/live', { window: true }),
  state(
    'draws/live-two-languages',
    async (stage) => {
      const second = stage.language === 'nl' ? 'fr' : 'nl'
      await go(stage, `${await addressOf(stage, isWon)}/live?second=${second}&hold=30`)
    },
    { window: true },
  ),
  one('live-overlay', isWon, '/live?overlay=1', { window: true }),
]
