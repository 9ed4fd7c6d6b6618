// Chooses the screen: by the page's connection, then by its URL.
import { lazy, Suspense, type ReactNode } from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { Loading } from './shared/Screen.tsx';
import { ErrorNote } from './shared/ErrorNote.tsx';
import { Trouble } from './shared/Trouble.tsx';
import { askBeforeLeaving } from './shared/unsaved.tsx';
import { Shell } from './shell/Shell.tsx';
import { atLinkPage } from './shared/at-link-page.ts';
import { useConnection } from './stores/connection.ts';
import { refresh, useTreasury } from './stores/treasury.ts';
import { Overview } from './screens/overview/Overview.tsx';

const LinkPage = lazy(() => import('./screens/link/LinkPage.tsx'));
const SignIn = lazy(() => import('./screens/first-run/SignIn.tsx'));
const Welcome = lazy(() => import('./screens/first-run/Welcome.tsx'));
const SetUp = lazy(() => import('./screens/first-run/SetUp.tsx'));
const Agents = lazy(() => import('./screens/agents/Agents.tsx'));
const AgentDetail = lazy(() => import('./screens/agents/AgentDetail.tsx'));
const Approvals = lazy(() => import('./screens/approvals/Approvals.tsx'));
const Catalog = lazy(() => import('./screens/catalog/Catalog.tsx'));
const Gallery = lazy(() => import('./screens/gallery/Gallery.tsx'));
const PictureDetail = lazy(() => import('./screens/gallery/PictureDetail.tsx'));
const Activity = lazy(() => import('./screens/activity/Activity.tsx'));
const PaymentDetail = lazy(() => import('./screens/activity/PaymentDetail.tsx'));
const Treasury = lazy(() => import('./screens/treasury/Treasury.tsx'));
const Settings = lazy(() => import('./screens/settings/Settings.tsx'));
const NotFound = lazy(() => import('./screens/NotFound.tsx'));

export const App = () => (atLinkPage ? <Alone screen={<LinkPage />} /> : <Dashboard />);

const Dashboard = () => {
  const phase = useConnection((state) => state.phase);
  const { snapshot, error } = useTreasury();
  if (phase === 'signed-out') return <Alone screen={<SignIn />} />;
  if (phase === 'waiting') return <Alone screen={<SetUp />} />;
  if (snapshot === null) return <Alone screen={error === null ? <Loading /> : <Unread error={error} />} />;
  return (
    <Router hook={useHashLocation} aroundNav={askBeforeLeaving}>
      <Shell>
        <Place>
          <Switch>
            <Route path="/" component={Overview} />
            <Route path="/welcome" component={Welcome} />
            <Route path="/agents" component={Agents} />
            <Route path="/agents/:agentId">
              {({ agentId }) => <AgentDetail agentId={agentId} key={agentId} />}
            </Route>
            <Route path="/approvals" component={Approvals} />
            <Route path="/activity" component={Activity} />
            <Route path="/activity/:id">{({ id }) => <PaymentDetail id={id} key={id} />}</Route>
            <Route path="/catalog/:tab?">{({ tab }) => <Catalog tab={tab} />}</Route>
            <Route path="/gallery" component={Gallery} />
            <Route path="/gallery/:agentId/:taskId">
              {(task) => <PictureDetail {...task} key={task.taskId} />}
            </Route>
            <Route path="/treasury" component={Treasury} />
            <Route path="/settings" component={Settings} />
            <Route component={NotFound} />
          </Switch>
        </Place>
      </Shell>
    </Router>
  );
};

/** The screen at the current URL, or its loading or error state. */
const Place = ({ children }: { children: ReactNode }) => {
  const [location] = useLocation();
  return (
    <Trouble key={location}>
      <Suspense fallback={<Loading />}>{children}</Suspense>
    </Trouble>
  );
};

const Alone = ({ screen }: { screen: ReactNode }) => (
  <main>
    <Trouble>
      <Suspense fallback={<Loading />}>{screen}</Suspense>
    </Trouble>
  </main>
);

const Unread = ({ error }: { error: Error }) => <ErrorNote error={error} onRetry={() => void refresh()} />;
