import { paths } from '#client/paths.ts'
import { type Stage, type State, go, see } from '../state.ts'

const PHONE = [360] as const
const WIDE = [768, 1440] as const

async function toggle(stage: Stage): Promise<void> {
  await stage.page.getByRole('button', { name: stage.t('frame.toggleSidebar') }).click()
}

const frame = (name: string, more: Omit<State, 'name'>): State => ({
  name: `frame/${name}`,
  window: true,
  ...more,
})

async function collapsed(stage: Stage): Promise<void> {
  await go(stage, paths.offers())
  const folded = stage.page.locator('[data-sidebar="collapsed"]')
  // Its cookie remembers the picture before.
  if ((await folded.count()) === 0) await toggle(stage)
  await folded.waitFor()
}

export const FRAME_STATES: readonly State[] = [
  ...([undefined, 'buyer', 'staff'] as const).map((who) =>
    frame(`sheet-${who ?? 'visitor'}`, {
      ...(who && { who }),
      widths: PHONE,
      open: async (stage) => {
        await go(stage, paths.offers())
        await stage.page.waitForLoadState('networkidle')
        await toggle(stage)
        await stage.page.locator('dialog[open]').waitFor()
      },
    }),
  ),
  frame('sidebar-staff', { who: 'staff', widths: WIDE, open: (stage) => go(stage, paths.offers()) }),
  frame('sidebar-collapsed', { who: 'buyer', widths: WIDE, open: collapsed }),
  frame('sidebar-tooltip', {
    who: 'buyer',
    widths: WIDE,
    fleeting: true,
    hover: true,
    open: async (stage) => {
      await collapsed(stage)
      await stage.page.locator('aside nav a').nth(1).hover()
    },
  }),
  frame('profile-closed', {
    who: 'buyer',
    widths: WIDE,
    open: async (stage) => {
      await go(stage, paths.offers())
      await stage.page.locator('aside summary').click()
    },
  }),
  frame('skip-link', {
    fleeting: true,
    open: async (stage) => {
      await go(stage, paths.offers())
      await stage.page.keyboard.press('Tab')
    },
  }),
  frame('offline', {
    open: async (stage) => {
      await go(stage, paths.offers())
      await stage.page.context().setOffline(true)
      await see(stage.page, stage.t('frame.offline'))
    },
  }),
  frame('welcome', {
    who: 'newcomer',
    open: async (stage) => {
      await go(stage, paths.offers())
      await see(stage.page, stage.t('frame.welcome', { name: 'alexandrine' }))
    },
  }),
]
