"""The tools, in the order in which they are listed."""

from goldfish.everything.feature import Feature
from goldfish.everything.tools import (
    ask_name,
    confirm_launch,
    echo,
    execute_sql,
    fail,
    get_weather,
    list_client_roots,
    long_task,
    never_satisfied,
    open_dashboard,
    run_task,
    summarize,
    trigger_notifications,
)

MODULES: tuple[Feature, ...] = (
    echo,
    execute_sql,
    get_weather,
    long_task,
    fail,
    ask_name,
    confirm_launch,
    open_dashboard,
    summarize,
    list_client_roots,
    never_satisfied,
    trigger_notifications,
    run_task,
)
