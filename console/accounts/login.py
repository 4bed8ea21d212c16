"""Log in: by name and password, or once by a link printed on the server."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.contrib.auth.views import LoginView
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.encoding import force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables

from console.queries import find_active_user
from console.unsent_forms import UnsentForm, show_unsent_form
from toolbox.access.login_limits import TOO_MANY, RateLimitedLoginForm

BACKEND = "django.contrib.auth.backends.ModelBackend"


class OnceTokens(PasswordResetTokenGenerator):
    """
    Signs log-in links. A token ends with the next log-in, because it covers the time of the last one.

    It also ends with a change of password, and after PASSWORD_RESET_TIMEOUT seconds.
    """

    key_salt = "console.accounts.login.OnceTokens"


tokens = OnceTokens()


class LogIn(LoginView):
    """Log-in by name and password; answers 429 after too many wrong ones. Carries an unsent form along."""

    template_name = "console/log_in.html"
    authentication_form = RateLimitedLoginForm
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Log in; then show the unsent form instead of the page that `next` names."""
        response = super().dispatch(request, *args, **kwargs)
        unsent = UnsentForm.read(request.POST.get("unsent", ""))
        return show_unsent_form(request, unsent=unsent) if unsent and request.user.is_authenticated else response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Keep the unsent form while the password is wrong."""
        return {"unsent": self.request.POST.get("unsent", "")} | super().get_context_data(**kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Show the form again, with its errors."""
        is_full = form.has_error(NON_FIELD_ERRORS, TOO_MANY)
        shown = self.get_context_data(form=form, is_full=is_full)
        return self.render_to_response(shown, status=429 if is_full else 200)


log_in = LogIn.as_view()


def login_link_path(user: User) -> str:
    """Return the path of a link that logs this user in once."""
    name = urlsafe_base64_encode(str(user.pk).encode())
    return reverse("console:enter", kwargs={"name": name, "token": tokens.make_token(user)})


@never_cache
@sensitive_variables("token")
def enter(request: HttpRequest, *, name: str, token: str) -> HttpResponse:
    """Show whom the link logs in; log them in on POST, because mail programs and chats open links by themselves."""
    person = find_active_user(_number(name))
    if person is not None and request.user == person:
        return redirect("console:ask")
    if person is None or not tokens.check_token(person, token):
        return render(request, "console/enter.html", {"person": None}, status=410)
    if request.method != "POST":
        return render(request, "console/enter.html", {"person": person})
    login(request, person, backend=BACKEND)
    return redirect("console:ask")


def _number(name: str) -> int:
    try:
        return int(force_str(urlsafe_base64_decode(name)))
    except (ValueError, OverflowError):
        return 0
