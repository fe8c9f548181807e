import type { State } from './state.ts'
import { ACCOUNT_STATES } from './states/accounts.ts'
import { CART_STATES } from './states/cart.ts'
import { CONSOLE_STATES } from './states/console.ts'
import { DRAW_STATES } from './states/draws.ts'
import { FRAME_STATES } from './states/frame.ts'
import { OFFER_STATES } from './states/offer.ts'
import { MAIL_STATES, PROVIDER_STATES } from './states/outside.ts'
import { PUBLIC_STATES } from './states/public.ts'

export const STATES: readonly State[] = [
  ...PUBLIC_STATES,
  ...OFFER_STATES,
  ...DRAW_STATES,
  ...CART_STATES,
  ...PROVIDER_STATES,
  ...MAIL_STATES,
  ...ACCOUNT_STATES,
  ...FRAME_STATES,
  ...CONSOLE_STATES,
]
