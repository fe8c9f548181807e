export { type OwnTickets, checkAnswer } from './add-items.ts'
export {
  type CartItemRow,
  type CartRow,
  cartItemsOf,
  cartWrites,
  lockCartsOf,
  manyCarts,
  offersInCartsOf,
  subtractBought,
} from './cart.repository.ts'
export { cartPersonalData } from './personal-data.ts'
export { cartRoutes } from './cart.routes.ts'
