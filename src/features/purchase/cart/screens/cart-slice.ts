import type { UnknownAction } from 'redux'
import { apiThunk, createAction, isAnyOf } from '#client/actions.ts'
import type {
  AddItemBody,
  Cart,
  CartItem,
  RemoveItemBody,
  UpdateItemBody,
} from '#features/purchase/cart/cart.contract.ts'
import { type LoadStatus, type RootState, type ThunkExtra, useAppSelector } from '#client/state.ts'
import { cartApi } from '../cart.api.ts'

export interface CartState {
  status: LoadStatus
  /** null until the first response. */
  cartId: number | null
  version: number
  items: CartItem[]
  error: string | null
}

declare module '#client/state.ts' {
  interface RootState {
    cart: CartState
  }
}

/** The cart's badge (spec section 9). */
export const useCartCount = (): number =>
  useAppSelector((state) => state.cart.items.reduce((sum, item) => sum + item.quantity, 0))

interface Context {
  extra: ThunkExtra
  state: () => RootState
}

/** The API creates the cart on the first read. */
async function cartId({ extra, state }: Context): Promise<number> {
  const known = state().cart.cartId
  if (known !== null) return known
  const cart = await cartApi(extra.call()).cart()
  if (!cart) throw new Error('the API gave no cart')
  return cart.id
}

export const fetchCart = apiThunk<Cart | undefined>('cart/fetch', (_, { extra }) =>
  cartApi(extra.call()).cart(),
)

export const addItem = apiThunk<Cart, AddItemBody>('cart/addItem', async (body, context) =>
  cartApi(context.extra.call()).addItem(await cartId(context), body),
)

export const updateItem = apiThunk<Cart, UpdateItemBody>('cart/updateItem', async (body, context) =>
  cartApi(context.extra.call()).updateItem(await cartId(context), body),
)

export const removeItem = apiThunk<Cart, RemoveItemBody>('cart/removeItem', async (body, context) =>
  cartApi(context.extra.call()).removeItem(await cartId(context), body),
)

export const clearCart = apiThunk<Cart>('cart/clear', async (_, context) =>
  cartApi(context.extra.call()).clearCart(await cartId(context)),
)

export const cartReset = createAction('cart/reset')

/** Optimistic update (U5). */
export const quantityShown = createAction<{ itemId: number; quantity: number }>('cart/quantityShown')

const UNKNOWN: CartState = { status: 'idle', cartId: null, version: 0, items: [], error: null }

const isChanged = isAnyOf(addItem.fulfilled, updateItem.fulfilled, removeItem.fulfilled, clearCart.fulfilled)
const isRefused = isAnyOf(addItem.rejected, updateItem.rejected, removeItem.rejected, clearCart.rejected)

export function cartReducer(state: CartState = UNKNOWN, action: UnknownAction): CartState {
  if (fetchCart.pending.match(action)) return { ...state, status: 'loading', error: null }
  if (fetchCart.fulfilled.match(action)) return { ...adopt(state, action.payload), status: 'succeeded' }
  if (fetchCart.rejected.match(action)) {
    return { ...state, status: 'failed', items: [], error: action.payload.message }
  }
  if (isChanged(action)) return adopt(state, action.payload)
  if (isRefused(action)) return { ...state, error: action.payload.message }
  if (quantityShown.match(action)) return withQuantity(state, action.payload)
  if (cartReset.match(action)) return UNKNOWN
  return state
}

/** Responses may arrive out of order: an older version never replaces a newer one. */
function adopt(state: CartState, cart: Cart | undefined): CartState {
  if (!cart) return { ...state, items: [] }
  if (cart.id === state.cartId && cart.version < state.version) return state
  return { status: 'succeeded', cartId: cart.id, version: cart.version, items: cart.items, error: null }
}

const withQuantity = (
  state: CartState,
  { itemId, quantity }: { itemId: number; quantity: number },
): CartState => ({
  ...state,
  items: state.items.map((item) => (item.id === itemId ? { ...item, quantity } : item)),
})
