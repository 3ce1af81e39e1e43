from django.db import migrations

NAME = "tasks_task_outbox_gone"
GONE = "DELETE FROM tasks_outboxrow WHERE task = OLD.id;"


def let_it_go(apps, schema_editor):
    """A project that is deleted takes what its tasks had to deliver with it; whoever holds a row has lost its lease."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"CREATE TRIGGER {NAME} AFTER DELETE ON tasks_task BEGIN {GONE} END")
        return
    schema_editor.execute(
        f"CREATE FUNCTION {NAME}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {GONE} RETURN OLD; END $$"
    )
    schema_editor.execute(
        f"CREATE TRIGGER {NAME} AFTER DELETE ON tasks_task FOR EACH ROW EXECUTE FUNCTION {NAME}()"
    )


def keep_it(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {NAME}")
    else:
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {NAME} ON tasks_task")
        schema_editor.execute(f"DROP FUNCTION IF EXISTS {NAME}()")


class Migration(migrations.Migration):

    dependencies = [("tasks", "0002_outbox")]

    operations = [migrations.RunPython(let_it_go, keep_it)]
