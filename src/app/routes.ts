import { type RouteConfig, index, route } from '@react-router/dev/routes'

/** The pages of the shop (spec section 2, "Screens and routes"). Their addresses are written in #client/paths.ts. */
export default [
  index('./routes/home.tsx'),
  route('offers', './routes/offers.tsx'),
  route('offers/:slug', './routes/offer-head.tsx', [index('./routes/offer.tsx')]),
  route('cart', './routes/cart.tsx'),
  route('profile/participations', './routes/participations.tsx'),
  route('profile/data', './routes/profile-data.tsx'),
  route('login', './routes/login.tsx'),
  route('register', './routes/register.tsx'),
  route('logout', './routes/logout.tsx'),
  route('policies/terms-and-conditions', './routes/terms.tsx'),
  route('*', './routes/not-found.tsx'),
] satisfies RouteConfig
