export { type HeldByUser } from './add-items.ts'
export {
  type CartItemRow,
  cartWrites,
  lockCartsOf,
  manyCarts,
  offersInCartsOf,
  subtractBought,
} from './cart.repository.ts'
export { cartRoutes } from './cart.routes.ts'
export { checkAnswer } from './refusals.ts'
