export { cartRepository, cartWrites, subtractBought } from './cart.repository.ts'
export { cartRoutes } from './cart.routes.ts'
export { type HeldByUser, checkAnswer } from './cart.service.ts'
