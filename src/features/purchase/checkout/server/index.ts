export { checkoutRoutes, lookUp } from './checkout.routes.ts'
export { returnRoutes } from './return.routes.ts'
