import { type RouteConfig, index, layout, route } from '@react-router/dev/routes'

/** Spec section 2, "Screens and routes". Addresses: #client/paths.ts. */
const pages = [
  index('./routes/home.tsx'),
  route('offers', './routes/offers.tsx'),
  route('offers/:slug', './routes/offer-head.tsx', [index('./routes/offer.tsx')]),
  route('draws', './routes/draws.tsx'),
  route('winners', './routes/winners.tsx'),
  route('draws/:slug', './routes/draw.tsx'),
  route('draws/:slug/live', './routes/draw-live.tsx'),
  route('cart', './routes/cart.tsx'),
  route('profile/participations', './routes/participations.tsx'),
  route('profile/favourites', './routes/favourites.tsx'),
  route('profile/data', './routes/profile-data.tsx'),
  route('profile/orders', './routes/orders.tsx'),
  route('profile/sessions', './routes/sessions.tsx'),
  route('contact', './routes/contact.tsx'),
  route('login', './routes/login.tsx'),
  route('register', './routes/register.tsx'),
  route('logout', './routes/logout.tsx'),
  route('forgot-password', './routes/forgot-password.tsx'),
  route('reset-password', './routes/reset-password.tsx'),
  route('email-link', './routes/email-link.tsx'),
  route('unsubscribe', './routes/unsubscribe.tsx'),
  route('claim', './routes/claim.tsx'),
  route('policies/terms-and-conditions', './routes/terms.tsx'),
  route('policies/accessibility', './routes/accessibility.tsx'),
  route('draws/verify', './routes/verify-draw.tsx'),
  route('demo/mailbox', './routes/mailbox.tsx'),
  route('demo/mailbox/:id', './routes/mailbox-email.tsx'),
  route('*', './routes/not-found.tsx'),
]

export default [layout('./routes/pages.tsx', pages)] satisfies RouteConfig
