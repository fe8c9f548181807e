import type {
  ChangePasswordBody,
  LoginBody,
  Profile,
  ProfileUpdateBody,
  RegisterBody,
  TokenPair,
} from '#features/accounts/accounts.contract.ts'
import type { AddItemBody, Cart, RemoveItemBody, UpdateItemBody } from '#features/cart/cart.contract.ts'
import type { CreateOrderAnswer } from '#features/checkout/checkout.contract.ts'
import type { CreateOrderBody } from '#features/orders/orders.contract.ts'
import type { Offer, OfferDetail } from '#features/offers/offers.contract.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import type { ApiCall } from './api-call.ts'

/** 128 random bits; `randomUUID` needs https. */
const freshKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Calls of spec section 7 that every page may make; those of single pages are in files of their own. Paths end in a slash. */
export const endpoints = (call: ApiCall) => ({
  login: (body: LoginBody) => call<TokenPair>('POST', '/api/token/', { body, anonymous: true }),
  register: (body: RegisterBody) => call<unknown>('POST', '/api/user/register/', { body, anonymous: true }),
  profile: () => call<Profile>('GET', '/api/user/profile/'),
  updateProfile: (body: ProfileUpdateBody) => call<Profile>('PUT', '/api/user/profile/', { body }),
  changePassword: (body: ChangePasswordBody) => call<unknown>('PUT', '/api/user/change-password/', { body }),

  /** Anything but an array counts as no offers (spec section 7). */
  offers: async (signal?: AbortSignal): Promise<Offer[]> => {
    const answer = await call<Offer[]>('GET', '/api/offers/', signal && { signal })
    return Array.isArray(answer) ? answer : []
  },
  offer: (slug: string, signal?: AbortSignal) =>
    call<OfferDetail>('GET', `/api/offers/${encodeURIComponent(slug)}/`, signal && { signal }),

  cart: async (): Promise<Cart | undefined> => (await call<Cart[]>('GET', '/api/cart/'))[0],
  /** A repetition would add twice, so it has a key. */
  addItem: (cartId: number, body: AddItemBody) =>
    call<Cart>('POST', `/api/cart/${cartId}/add_item/`, { body, key: freshKey() }),
  updateItem: (cartId: number, body: UpdateItemBody) =>
    call<Cart>('POST', `/api/cart/${cartId}/update_item/`, { body }),
  removeItem: (cartId: number, body: RemoveItemBody) =>
    call<Cart>('POST', `/api/cart/${cartId}/remove_item/`, { body }),
  clearCart: (cartId: number) => call<Cart>('POST', `/api/cart/${cartId}/clear/`),

  createOrder: (body: CreateOrderBody) =>
    call<CreateOrderAnswer>('POST', '/api/paypal/create-order/', { body }),

  tickets: () => call<Ticket[]>('GET', '/api/tickets/user/'),
  downloadTicket: (id: string) => call<Blob>('GET', `/api/tickets/${encodeURIComponent(id)}/download/`),
  downloadTickets: (slug: string) =>
    call<Blob>('GET', `/api/tickets/offers/${encodeURIComponent(slug)}/download/`),
})

export type Api = ReturnType<typeof endpoints>
