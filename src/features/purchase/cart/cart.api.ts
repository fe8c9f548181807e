import type { ApiCall } from '#client/api-call.ts'
import type { AddItemBody, Cart, RemoveItemBody, UpdateItemBody } from './cart.contract.ts'

/** 128 random bits; `randomUUID` needs https. */
const freshKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

export const cartApi = (call: ApiCall) => ({
  cart: async (): Promise<Cart | undefined> => (await call<Cart[]>('GET', '/api/cart/'))[0],
  /** A repetition would add twice, so it has a key. */
  addItem: (cartId: number, body: AddItemBody) =>
    call<Cart>('POST', `/api/cart/${cartId}/add_item/`, { body, key: freshKey() }),
  updateItem: (cartId: number, body: UpdateItemBody) =>
    call<Cart>('POST', `/api/cart/${cartId}/update_item/`, { body }),
  removeItem: (cartId: number, body: RemoveItemBody) =>
    call<Cart>('POST', `/api/cart/${cartId}/remove_item/`, { body }),
  clearCart: (cartId: number) => call<Cart>('POST', `/api/cart/${cartId}/clear/`),
})
