export { type OwnTickets, checkAnswer } from './add-items.ts'
export {
  type CartItemRow,
  type CartRow,
  cartItemsOf,
  cartWrites,
  deleteCartOf,
  lockCartsOf,
  manyCarts,
  offersInCartsOf,
  subtractBought,
} from './cart.repository.ts'
export { cartRoutes } from './cart.routes.ts'
