import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { AddItemBody, Cart, RemoveItemBody, UpdateItemBody } from '#features/cart/cart.contract.ts'
import type { CreateOrderAnswer, CreateOrderBody } from '#features/checkout/checkout.contract.ts'
import type { CartState, RootState, ThunkExtra } from '#client/state.ts'
import { apiThunk } from '#client/thunk.ts'

interface Context {
  extra: ThunkExtra
  state: () => RootState
}

/** The caller's cart has an id before its first line: the API makes it on the first read. */
async function cartId({ extra, state }: Context): Promise<number> {
  const known = state().cart.cartId
  if (known !== null) return known
  const cart = await extra.api().cart()
  if (!cart) throw new Error('the API gave no cart')
  return cart.id
}

/** Loads the cart; a caller without one has an empty list of items (spec section 7). */
export const fetchCart = apiThunk<Cart | undefined>('cart/fetch', (_, { extra }) => extra.api().cart())

export const addItem = apiThunk<Cart, AddItemBody>('cart/addItem', async (body, context) =>
  context.extra.api().addItem(await cartId(context), body),
)

export const updateItem = apiThunk<Cart, UpdateItemBody>('cart/updateItem', async (body, context) =>
  context.extra.api().updateItem(await cartId(context), body),
)

export const removeItem = apiThunk<Cart, RemoveItemBody>('cart/removeItem', async (body, context) =>
  context.extra.api().removeItem(await cartId(context), body),
)

export const clearCart = apiThunk<Cart>('cart/clear', async (_, context) =>
  context.extra.api().clearCart(await cartId(context)),
)

/** Creates the provider's order for the cart. The cart stays as it is until the payment is captured. */
export const checkout = apiThunk<CreateOrderAnswer, CreateOrderBody>('cart/checkout', (body, { extra }) =>
  extra.api().createOrder(body),
)

const initialState: CartState = { status: 'idle', cartId: null, version: 0, items: [], error: null }

/** Answers can overtake each other; an older version of the cart never replaces a newer one. */
function adopt(state: CartState, cart: Cart): void {
  if (cart.id === state.cartId && cart.version < state.version) return
  state.status = 'succeeded'
  state.cartId = cart.id
  state.version = cart.version
  state.items = cart.items
  state.error = null
}

const cart = createSlice({
  name: 'cart',
  initialState,
  reducers: {
    /** The cart was paid, or nobody is signed in any more. */
    cartReset: () => initialState,
    /** Shows a quantity before the server has agreed; the answer or a reload puts it right (U5). */
    quantityShown(state, { payload }: PayloadAction<{ itemId: number; quantity: number }>) {
      const item = state.items.find((one) => one.id === payload.itemId)
      if (item) item.quantity = payload.quantity
    },
  },
  extraReducers: (builder) => {
    builder
      .addCase(fetchCart.pending, (state) => {
        state.status = 'loading'
        state.error = null
      })
      .addCase(fetchCart.fulfilled, (state, { payload }) => {
        if (payload) adopt(state, payload)
        else state.items = []
        state.status = 'succeeded'
      })
      .addCase(fetchCart.rejected, (state, { payload }) => {
        state.status = 'failed'
        state.items = []
        state.error = payload?.message ?? null
      })
    for (const action of [addItem, updateItem, removeItem, clearCart]) {
      builder
        .addCase(action.fulfilled, (state, { payload }) => adopt(state, payload))
        .addCase(action.rejected, (state, { payload }) => {
          state.error = payload?.message ?? null
        })
    }
  },
})

export const { cartReset, quantityShown } = cart.actions
export const cartReducer = cart.reducer
