/** Allowed moves of an order. */
export const ORDER_MOVES = {
  /** Tickets are held for the buyer; we have not asked for money, and only somebody past us can have moved some. */
  held: ['capturing', 'pending', 'completed', 'refunding', 'expired', 'cancelled', 'superseded'],
  /** The provider was asked for the money and its answer is not known yet; the hold cannot lapse. */
  capturing: ['completed', 'pending', 'held', 'cancelled', 'refunding'],
  /** The provider took the payment but has not confirmed it; the hold cannot lapse. */
  pending: ['completed', 'cancelled', 'refunding'],
  /** Paid, numbers issued. Money that goes back voids them; `review` when the provider refuses to return a part. */
  completed: ['refunding', 'refunded', 'review'],
  /** The hold lapsed; a returning buyer may get it again. Late money gets tickets or goes back. */
  expired: ['held', 'completed', 'refunding'],
  cancelled: ['completed', 'refunding'],
  superseded: ['completed', 'refunding'],
  /** Money goes back; `review` when the provider refuses to return it. */
  refunding: ['refunded', 'review'],
  /** All is back. A refund may fail after it was done: ours is made anew; one of theirs is for staff (`review`). */
  refunded: ['refunding', 'review'],
  /** Staff must decide. */
  review: ['refunding', 'refunded', 'completed'],
} as const satisfies Record<string, readonly string[]>

export type OrderState = keyof typeof ORDER_MOVES

/** States in which the tickets of the order count as held. */
export const HOLDING: readonly OrderState[] = ['held', 'capturing', 'pending']

/** States in which the order waits for the provider's word. */
export const UNSETTLED: readonly OrderState[] = ['capturing', 'pending', 'refunding']

/** States of an order whose tickets went back; money can still arrive. */
export const GIVEN_UP: readonly OrderState[] = ['expired', 'cancelled', 'superseded']

/** Whether an order may go from one state to another. */
export const mayMove = (from: OrderState, to: OrderState): boolean =>
  (ORDER_MOVES[from] as readonly OrderState[]).includes(to)
